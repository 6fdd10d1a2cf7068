internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import StoreFile

/// Records every change of a store's rows, in a temporary table, whether a statement makes it or a trigger of the
/// store.
struct ChangeLog {
    private let database: DoctorDatabase

    /// Creates the table and the triggers that fill it.
    ///
    /// - Parameter kept: The columns, by the key of the table's name, whose values of deleted objects are noted for the
    ///   history.
    init(
        _ database: DoctorDatabase, tables: [StoreExamination.Table], kept: [String: [RepairHistory.KeptColumn]]
    ) throws(DoctorDatabase.Failure) {
        self.database = database
        try database.execute(
            """
            CREATE TEMP TABLE modelc_rule (rule TEXT); INSERT INTO temp.modelc_rule VALUES (NULL); \
            CREATE TEMP TABLE modelc_changes (id INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT, row INTEGER, col TEXT, \
            kind TEXT, rule TEXT, old, new, UNIQUE (tbl, row, col))
            """)
        for (index, table) in tables.enumerated() {
            try record(table, number: index, kept: kept[SQLName.key(table.name)] ?? [])
        }
    }

    private func record(
        _ table: StoreExamination.Table, number: Int, kept: [RepairHistory.KeptColumn]
    ) throws(DoctorDatabase.Failure) {
        let name = SQLName.inQuotes(table.name)
        let literal = SQLName.literal(table.name)
        let row = Self.rowColumn(of: table)
        let rule = "(SELECT rule FROM modelc_rule)"
        let columns = "(tbl, row, col, kind, rule, old, new)"
        let isRecorded = "WHEN \(rule) IS NOT NULL"
        let updates = table.columns.map { column in
            let (old, new) = ("OLD.\(SQLName.inQuotes(column.name))", "NEW.\(SQLName.inQuotes(column.name))")
            return """
                INSERT INTO modelc_changes \(columns) SELECT \(literal), OLD.\(row), \(SQLName.literal(column.name)), 'changed', \
                \(rule), \(old), \(new) WHERE \(old) IS NOT \(new) OR typeof(\(old)) <> typeof(\(new)) \
                ON CONFLICT DO UPDATE SET new = excluded.new;
                """
        }
        // An object is deleted as a whole; of other rows, the values are listed.
        let isObject = table.has("Z_PK") && table.has("Z_ENT")
        let deleted = isObject ? ["Z_ENT"] : table.columns.map(\.name)
        let deletions = deleted.map { column in
            "INSERT INTO modelc_changes \(columns) VALUES (\(literal), OLD.\(row), \(SQLName.literal(isObject ? "" : column)), "
                + "'deleted', \(rule), OLD.\(SQLName.inQuotes(column)), NULL);"
        }
        let values = (isObject ? kept : []).filter { table.has($0.name) }.map { column in
            // What an earlier repair has replaced is the value that readers of the history know.
            "INSERT INTO modelc_changes \(columns) VALUES (\(literal), OLD.\(row), "
                + "\(SQLName.literal(table.columnName(column.name))), 'kept', \(rule), "
                + "\(column.value("OLD.\(SQLName.inQuotes(column.name))")), NULL) "
                + "ON CONFLICT DO UPDATE SET kind = 'kept', old = \(column.value("modelc_changes.old"));"
        }
        let events: [(event: String, kind: String, body: [String])] = [
            ("UPDATE", "u", updates),
            (
                "DELETE", "d",
                values + [
                    "DELETE FROM modelc_changes WHERE tbl = \(literal) AND row = OLD.\(row) AND kind <> 'kept';"
                ] + deletions
            ),
            (
                "INSERT", "i",
                [
                    "INSERT INTO modelc_changes \(columns) VALUES (\(literal), NEW.\(row), '', 'inserted', \(rule), NULL, NULL);"
                ]
            ),
        ]
        for (event, kind, body) in events {
            try database.execute(
                "CREATE TEMP TRIGGER modelc_\(kind)\(number) AFTER \(event) ON main.\(name) \(isRecorded) BEGIN "
                    + body.joined(separator: " ") + " END")
        }
    }

    /// Returns the column that identifies the rows of a table in the log.
    static func rowColumn(of table: StoreExamination.Table) -> String { table.has("Z_PK") ? "Z_PK" : "rowid" }

    /// Sets the rule whose repairs follow; `nil` to record nothing.
    func begin(_ rule: RuleID?) throws(DoctorDatabase.Failure) {
        try database.execute(
            "UPDATE temp.modelc_rule SET rule = \(rule.map { SQLName.literal($0.rawValue) } ?? "NULL")")
    }

    /// The condition of what differs from the store before the repairs.
    static let isChange =
        "kind <> 'kept' AND (kind <> 'changed' OR old IS NOT new OR typeof(old) <> typeof(new))"

    /// The condition of a change that is the deletion of an object.
    static let isDeletedObject = "kind = 'deleted' AND col = ''"

    /// The number of the last deletion of an object; 0 if there is none.
    func lastDeletion() throws(DoctorDatabase.Failure) -> Int64 {
        try database.integer("SELECT max(id) FROM temp.modelc_changes WHERE \(Self.isDeletedObject)") ?? 0
    }

    /// Raises the versions of all objects with changed values, so that apps notice that they were changed.
    func raiseVersions(_ tables: [StoreExamination.Table]) throws(DoctorDatabase.Failure) {
        for table in tables where table.has("Z_PK") && table.has("Z_ENT") && table.has("Z_OPT") {
            guard !table.name.uppercased().hasPrefix("A") else { continue }
            do throws(DoctorDatabase.Failure) {
                try database.execute(
                    """
                    UPDATE \(SQLName.inQuotes(table.name)) SET Z_OPT = Z_OPT + 1 WHERE typeof(Z_OPT) = 'integer' \
                    AND Z_OPT BETWEEN 1 AND 4611686018427387904 AND Z_PK IN (SELECT row FROM temp.modelc_changes \
                    WHERE tbl = \(SQLName.literal(table.name)) AND kind = 'changed' AND old IS NOT new) \
                    AND Z_PK NOT IN (SELECT row FROM temp.modelc_changes \
                    WHERE tbl = \(SQLName.literal(table.name)) AND col = 'Z_OPT')
                    """)
            } catch {
                // A trigger of an app that SQLite rejects: the app cannot raise the version, either.
                guard error.isOfStatement else { throw error }
            }
        }
    }

    /// Passes each change to a closure, in the order of tables and rows.
    func forEach(
        _ examination: StoreExamination, _ body: (StoreChange) -> Void
    ) throws(DoctorDatabase.Failure) {
        let names = examination.layout.map(PropertyNames.init)
        // The entity of a row that exists is in the row.
        var entities: [String: SQLiteQuery] = [:]
        let query = try database.query(
            "SELECT tbl, row, col, kind, rule, old, new FROM temp.modelc_changes WHERE \(Self.isChange) "
                + "ORDER BY tbl, row, col")
        while try query.step() {
            let (table, row, column) = (query.text(0), query.integer(1) ?? 0, query.text(2))
            let kind = StoreChange.Kind(rawValue: query.text(3)) ?? .changed
            var number: Int64?
            if kind == .deleted, column.isEmpty {
                number = query.integer(5)
            } else if examination.has(table, "Z_PK", "Z_ENT"), !table.hasPrefix("A") {
                var lookup = entities[table]
                if lookup == nil {
                    lookup = try database.query("SELECT Z_ENT FROM \(SQLName.inQuotes(table)) WHERE Z_PK = ?")
                    entities[table] = lookup
                }
                guard let lookup else { continue }
                lookup.restart(row)
                number = try lookup.step() ? lookup.integer(0) : nil
            }
            let isObject = examination.has(table, "Z_PK", "Z_ENT") && !table.hasPrefix("A")
            let entity = isObject ? examination.entityName(number, in: table) : nil
            body(
                StoreChange(
                    kind: kind, rule: RuleID(rawValue: query.text(4)) ?? .damagedPage,
                    uri: entity.map { examination.uri(row, entity: $0) },
                    object: "\(entity ?? table)/\(row)",
                    property: entity.flatMap { names?.property(column, entity: $0) },
                    column: column.isEmpty ? nil : column,
                    old: kind == .deleted && column.isEmpty ? .null : Self.value(query, 5), new: Self.value(query, 6)))
        }
    }

    private static func value(_ query: SQLiteQuery, _ column: Int) -> StoreContents.Value {
        switch sqlite3_column_type(query.statement, Int32(column)) {
        case SQLITE_INTEGER: .integer(query.integer(column) ?? 0)
        case SQLITE_FLOAT: .real(query.real(column) ?? 0)
        case SQLITE_TEXT: .text(query.bytes(column))
        case SQLITE_BLOB: .bytes(query.bytes(column))
        default: .null
        }
    }

    /// Removes the table and the triggers.
    func end(tableCount: Int) throws(DoctorDatabase.Failure) {
        for number in 0..<tableCount {
            for kind in ["u", "d", "i"] { try database.execute("DROP TRIGGER temp.modelc_\(kind)\(number)") }
        }
        try database.execute("DROP TABLE temp.modelc_changes; DROP TABLE temp.modelc_rule")
    }
}

/// The names of the properties that columns belong to.
private struct PropertyNames {
    private var names: [String: [String: String]] = [:]

    init(_ layout: StoreLayout) {
        for entity in layout.entities {
            var columns: [String: String] = [:]
            for property in entity.properties {
                switch property.position {
                case .attribute(let attribute): columns[attribute.column] = property.name
                case .toOne(let toOne):
                    for column in [toOne.key, toOne.entity, toOne.order].compactMap({ $0 }) {
                        columns[column] = property.name
                    }
                case .members, .join: continue
                }
            }
            names[entity.name] = columns
        }
    }

    func property(_ column: String, entity: String) -> String? { names[entity]?[column] }
}
