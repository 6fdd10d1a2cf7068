/// The schema by which a SQLite file stores the entities of a model, in Apple's format
/// (Documentation/Formats/SQLiteStore.md, 3).
///
/// Created once per store from the model and the layout of the file. Immutable.
struct StoreSchema: Sendable {
    /// The entities, by ascending number.
    var entities: [EntityMapping]
    /// The tables of rows, by the number of the root entity.
    var tables: [TableDefinition]
    var joinTables: [TableDefinition]
    var indexes: [IndexDefinition]
    /// The triggers of derived attributes.
    var triggers: [TriggerDefinition]
    /// The derived attributes that the triggers maintain.
    var derivedColumns: [DerivedColumn]

    private let indexByName: [String: Int]
    private let indexByNumber: [Int: Int]

    init(
        entities: [EntityMapping], tables: [TableDefinition], joinTables: [TableDefinition],
        indexes: [IndexDefinition], triggers: [TriggerDefinition], derivedColumns: [DerivedColumn]
    ) {
        self.entities = entities
        self.tables = tables
        self.joinTables = joinTables
        self.indexes = indexes
        self.triggers = triggers
        self.derivedColumns = derivedColumns
        indexByName = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        indexByNumber = Dictionary(
            entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the mapping of an entity, or `nil` if the store does not contain it.
    func entity(named name: String) -> EntityMapping? { indexByName[name].map { entities[$0] } }

    /// Returns the mapping of the entity with a number, as in `Z_ENT`, or `nil` if it is unknown.
    func entity(number: Int) -> EntityMapping? { indexByNumber[number].map { entities[$0] } }

    /// The statements that create the tables, indexes and triggers of a new file, and fill `Z_PRIMARYKEY`. The store
    /// itself writes the row of `Z_METADATA` and the model in `Z_MODELCACHE`.
    var statements: [String] {
        var result = tables.map(\.statement)
        result += joinTables.map(\.statement)
        result += indexes.map(\.statement)
        result += triggers.map(\.statement)
        result += Self.ownTables
        result += entities.map { $0.primaryKeyRow() }
        return result
    }

    /// The tables that every store has.
    static let ownTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        metadataTable,
        modelCacheTable,
    ]

    static let metadataTable =
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"

    /// The table for the copy of the model, which stores from before 2016 lack.
    static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    /// The names that no table of an entity may have.
    static let reservedTables = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    /// The first columns of every table of rows.
    static let reservedColumns = ["Z_PK", "Z_ENT", "Z_OPT"]
}

extension SQLiteConnection {
    /// Returns the largest key that a table of rows has or had: other programs may write rows without updating
    /// `Z_PRIMARYKEY`.
    ///
    /// - Parameter entity: The number of the table's root entity.
    func lastKey(entity: Int, table: String) throws(SQLiteError) -> Int64 {
        // SQLite keeps strings in columns of integers, and they are larger than all numbers.
        let statement = try statement(
            "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity) AND typeof(Z_MAX) = 'integer'), 0), "
                + "ifnull((SELECT max(Z_PK) FROM \(SQLName.quoted(table))), 0))")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}

extension EntityMapping {
    /// Returns the statement that adds the entity to `Z_PRIMARYKEY`.
    ///
    /// - Parameter last: The largest key of a row.
    func primaryKeyRow(last: Int64 = 0) -> String {
        "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(\(number), \(SQLName.literal(name)), "
            + "\(superNumber), \(last))"
    }
}
