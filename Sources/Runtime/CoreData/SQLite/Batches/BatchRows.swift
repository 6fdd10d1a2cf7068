internal import Foundation
internal import RuntimeSupport

/// The rows affected by a batch request, in a temporary table: statements can refer to any number of them at once.
struct BatchRows {
    let store: SQLiteStore
    let connection: SQLiteConnection
    let evaluation: BatchEvaluation

    /// The name of the temporary table. No table of a store has this name.
    static let table = "temp.COREDATA_BATCH"

    struct FoundRow {
        var key: Int64
        var entity: StoredEntity
    }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection, evaluation: BatchEvaluation) {
        self.store = store
        self.connection = connection
        self.evaluation = evaluation
    }

    /// Empties the table, or creates it if it does not exist.
    private func prepare() throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(Self.table) (ROOT INTEGER, PK INTEGER, ENT INTEGER, LEVEL INTEGER, "
                + "PRIMARY KEY (ROOT, PK)) WITHOUT ROWID")
        try connection.execute("DELETE FROM \(Self.table)")
    }

    // MARK: Filling

    /// Finds the rows that a request matches: in the database if SQL can express all of the request, otherwise in
    /// memory.
    func find(_ settings: FetchSettings, _ entity: StoredEntity) throws {
        try prepare()
        guard let query = try query(settings, entity) else { return try list(evaluation.matching(settings)) }
        let alias = query.root.alias
        let columns: SQLFragment =
            entity.ownsTable
            ? "\(number: entity.mapping.rootNumber), \(word: alias).Z_PK, \(number: entity.number), 0"
            : "\(number: entity.mapping.rootNumber), \(word: alias).Z_PK, \(word: alias).Z_ENT, 0"
        let selection = query.select(columns)
        let statement = try connection.statement("INSERT INTO \(Self.table) \(selection.text)")
        statement.bind(selection.arguments)
        try statement.run()
        statement.clear()
    }

    /// Returns the request in SQL, or `nil` if SQL cannot express all of it.
    private func query(_ settings: FetchSettings, _ entity: StoredEntity) throws -> FetchQuery? {
        guard let model = store.fetchModel, let fetchEntity = model.entity(named: entity.mapping.name) else {
            return nil
        }
        var settings = settings
        if settings.fetchLimit <= 0, settings.fetchOffset <= 0 { settings.sortDescriptors = nil }
        do {
            let query = try FetchTranslator(model: model).query(settings, fetchEntity)
            return query.isComplete ? query : nil
        } catch let refusal as UnsupportedRequest {
            misuse("NSInvalidArgumentException", refusal.description)
        }
    }

    /// Sets the rows to those of objects, ignoring objects that do not exist.
    func list(_ ids: [NSManagedObjectID]) throws {
        try prepare()
        for id in ids {
            guard case .number(let key) = id.reference, store.holds(id), let entity = store.entity(of: id)
            else { continue }
            let statement = try connection.statement(
                SQLiteDialect().insertingNew(
                    into: Self.table,
                    "SELECT \(entity.mapping.rootNumber), Z_PK, \(entity.numberColumn()), 0 FROM \(entity.table) WHERE Z_PK = ?"
                ))
            statement.bind(key, at: 1)
            try statement.run()
        }
    }

    // MARK: Reading

    /// Returns the number of rows.
    func count() throws -> Int { Int(try connection.integer("SELECT count(*) FROM \(Self.table)") ?? 0) }

    /// Returns the rows of a level, or all, by table and key.
    func all(level: Int? = nil) throws -> [FoundRow] {
        let condition = level.map { " WHERE LEVEL = \($0)" } ?? ""
        let statement = try connection.statement("SELECT PK, ENT FROM \(Self.table)\(condition) ORDER BY ROOT, PK")
        defer { statement.reset() }
        var rows: [FoundRow] = []
        while try statement.step() {
            guard let entity = store.entity(number: Int(truncatingIfNeeded: statement.integer(1))) else { continue }
            rows.append(FoundRow(key: statement.integer(0), entity: entity))
        }
        return rows
    }

    /// Returns the entities that have rows, in a level or in all.
    func entities(level: Int? = nil) throws -> [StoredEntity] {
        let condition = level.map { " WHERE LEVEL = \($0)" } ?? ""
        let statement = try connection.statement("SELECT DISTINCT ENT FROM \(Self.table)\(condition)")
        defer { statement.reset() }
        var entities: [StoredEntity] = []
        while try statement.step() {
            if let entity = store.entity(number: Int(truncatingIfNeeded: statement.integer(0))) {
                entities.append(entity)
            }
        }
        return entities.sorted { $0.number < $1.number }
    }

    /// Returns the condition that a column contains the key of one of the rows in an entity's table.
    static func holds(_ column: String, _ root: Int) -> String {
        "\(column) IN (SELECT PK FROM \(table) WHERE ROOT = \(root))"
    }

    /// Returns the condition that a column contains the key of one of the rows of an entity.
    static func holds(_ column: String, _ entity: StoredEntity, level: Int? = nil) -> String {
        let condition = level.map { " AND LEVEL = \($0)" } ?? ""
        return "\(column) IN (SELECT PK FROM \(table) WHERE ROOT = \(entity.mapping.rootNumber) "
            + "AND ENT = \(entity.number)\(condition))"
    }
}
