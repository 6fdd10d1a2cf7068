/// How the entities of a model are kept in a SQLite file: Apple's format (Documentation/Formats/SQLiteStore.md, 3).
///
/// Made once for a store, of the model and of what the file has; immutable.
struct StoreSchema: Sendable {
    /// The entities, by ascending number.
    var entities: [EntityMapping]
    /// The tables of rows, by the number of the root entity.
    var tables: [TableDefinition]
    var joinTables: [TableDefinition]
    var indexes: [IndexDefinition]
    /// The triggers of derived attributes.
    var triggers: [TriggerDefinition]
    /// The derived attributes that the triggers keep.
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

    /// Returns the mapping of an entity; nil when the store does not hold it.
    func entity(named name: String) -> EntityMapping? { indexByName[name].map { entities[$0] } }

    /// Returns the mapping of the entity with a number, as rows have it in `Z_ENT`; nil for an unknown number.
    func entity(number: Int) -> EntityMapping? { indexByNumber[number].map { entities[$0] } }

    /// The statements that make the tables, indexes and triggers of a new file, and fill `Z_PRIMARYKEY`. The row of
    /// `Z_METADATA` and the model in `Z_MODELCACHE` are the store's to write.
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
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        modelCacheTable,
    ]

    /// The table of the copy of the model, which stores from before 2016 do not have.
    static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    /// The names that no table of an entity may have.
    static let reservedTables = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    /// The columns that every table of rows begins with.
    static let reservedColumns = ["Z_PK", "Z_ENT", "Z_OPT"]
}

extension EntityMapping {
    /// Returns the statement that adds the entity to `Z_PRIMARYKEY`.
    ///
    /// - Parameter last: the largest key that was given to a row.
    func primaryKeyRow(last: Int64 = 0) -> String {
        "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(\(number), \(SQLName.literal(name)), "
            + "\(superNumber), \(last))"
    }
}
