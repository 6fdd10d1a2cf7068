internal import CSQLite3
internal import CoreData
internal import StoreFile

/// Records repairs of objects in a store's persistent history, as a save would, so that readers in other processes see
/// them.
///
/// All of them are one transaction with the author `modelc`. Changes that no property has, such as those of versions
/// and of the store's description of itself, are not part of a history, nor are the values of derived attributes.
struct RepairHistory {
    /// The author of changes by this program.
    static let author = "modelc"

    /// Rows that contain a relationship: the key of the owner, and what else belongs to the relationship.
    private struct Reference {
        var owner: StoreLayout.Entity
        var name: String
        var table: String
        /// The entities of the rows; `nil` for a join table.
        var rows: StoreLayout.Entity?
        var key: String
        var others: [String]
    }

    private let examination: StoreExamination
    private let layout: StoreLayout
    private var database: DoctorDatabase { examination.database }
    private let references: [Reference]

    /// Creates the history of a repaired store.
    ///
    /// - Returns: `nil` if the store keeps no history, or if its model is not known.
    init?(_ examination: StoreExamination) {
        guard let layout = examination.layout, Self.exists(examination) else { return nil }
        self.examination = examination
        self.layout = layout
        references = layout.entities.flatMap { entity in
            entity.properties.filter(\.isDeclared).compactMap { Self.reference(entity, $0, layout) }
        }.filter { examination.has($0.table, $0.key) }
    }

    /// Whether a store has the tables of a history.
    static func exists(_ examination: StoreExamination) -> Bool {
        guard examination.hasEntityRows,
            examination.has("ACHANGE", "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"),
            examination.has("ACHANGE", "ZCOLUMNS"), examination.has("ATRANSACTION", "Z_PK", "Z_ENT", "ZTIMESTAMP")
        else { return false }
        return examination.table("ATRANSACTIONSTRING") == nil
            ? examination.has("ATRANSACTION", "ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID")
            : examination.has("ATRANSACTION", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS")
                && examination.has("ATRANSACTIONSTRING", "Z_PK", "Z_ENT", "ZNAME")
    }

    /// Returns the rows that contain a to-many relationship; `nil` for other properties.
    private static func reference(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, _ layout: StoreLayout
    ) -> Reference? {
        switch property.position {
        case .attribute, .toOne: nil
        case .members(let members):
            layout.entity(number: members.destination).map { destination in
                Reference(
                    owner: entity, name: property.name, table: members.table, rows: destination, key: members.key,
                    others: [members.order].compactMap { $0 })
            }
        case .join(let join):
            Reference(
                owner: entity, name: property.name, table: join.table, rows: nil, key: join.own,
                others: [join.other, join.order].compactMap { $0 })
        }
    }

    // MARK: What is kept of deleted objects

    /// A column whose values of deleted objects are noted.
    struct KeptColumn {
        var name: String
        /// Whether the value may be in a file.
        var isExternal = false

        /// Returns the kept form of a stored value: without the prefix that tells where a value is, and without those
        /// in files.
        func value(_ stored: String) -> String {
            guard isExternal else { return stored }
            return
                "CASE WHEN typeof(\(stored)) <> 'blob' THEN \(stored) WHEN \(ExternalName.isReference(stored)) THEN NULL "
                + "WHEN substr(\(stored), 1, 1) = x'01' THEN substr(\(stored), 2) ELSE \(stored) END"
        }
    }

    /// The columns whose values of deleted objects are noted, by the key of the table's name: those in tombstones, and
    /// the keys of owners.
    var keptColumns: [String: [KeptColumn]] {
        var result: [String: [String: KeptColumn]] = [:]
        for entity in layout.entities {
            for case let attribute? in entity.tombstones {
                result[SQLName.key(entity.table), default: [:]][attribute.column] = KeptColumn(
                    name: attribute.column, isExternal: attribute.isExternal)
            }
        }
        for reference in references where reference.rows != nil {
            result[SQLName.key(reference.table), default: [:]][reference.key] = KeptColumn(name: reference.key)
        }
        return result.mapValues { $0.values.sorted { $0.name < $1.name } }
    }

    // MARK: Changes

    /// Adds a transaction with the changes of a log, if a history has such changes.
    func record() throws(DoctorDatabase.Failure) {
        try database.execute(
            "CREATE TEMP TABLE modelc_updates (root INTEGER, key INTEGER, name TEXT, PRIMARY KEY (root, key, name)) "
                + "WITHOUT ROWID")
        // Most columns have no change.
        var changed: Set<[String]> = []
        try database.forEach("SELECT DISTINCT tbl, col FROM temp.modelc_changes WHERE \(ChangeLog.isChange)") { row in
            changed.insert([SQLName.key(row.text(0)), SQLName.key(row.text(1))])
        }
        func hasChanged(_ table: String, _ column: String) -> Bool {
            changed.contains([SQLName.key(table), SQLName.key(column)])
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                for column in Self.columns(of: property) where hasChanged(entity.table, column) {
                    try note(entity, property.topName, key: "c.row", in: entity.table, rows: entity, column: column)
                }
            }
        }
        for reference in references {
            let (table, rows) = (reference.table, reference.rows)
            func note(_ key: String, column: String) throws(DoctorDatabase.Failure) {
                try self.note(reference.owner, reference.name, key: key, in: table, rows: rows, column: column)
            }
            if hasChanged(table, reference.key) {
                for key in ["c.old", "c.new"] { try note(key, column: reference.key) }
            }
            for column in reference.others where hasChanged(table, column) {
                try note("t.\(SQLName.inQuotes(reference.key))", column: column)
            }
            guard hasChanged(table, "") else { continue }
            if rows == nil {
                try note("t.\(SQLName.inQuotes(reference.key))", column: "")
            } else {
                try noteOwnersOfDeleted(reference)
            }
        }
        if let writer = try DoctorDatabase.writing({ () throws(StoreHistoryWriter.Failure) in
            try StoreHistoryWriter(database.handle, author: Self.author)
        }) {
            try writeUpdates(writer)
            try writeDeletions(writer)
            try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in try writer.finish() }
        }
        try database.execute("DROP TABLE temp.modelc_updates")
    }

    /// Returns the columns that contain a property of an object, other than its position in the relationship of
    /// another.
    private static func columns(of property: StoreLayout.Property) -> [String] {
        switch property.position {
        case .attribute(let attribute): attribute.isDerived ? [] : [attribute.column]
        case .toOne(let toOne): [toOne.key, toOne.entity].compactMap { $0 }
        case .members, .join: []
        }
    }

    /// Notes that a property of some objects has changed, because a column of rows has.
    ///
    /// - Parameters:
    ///   - key: The expression of the objects' keys, of the change `c` and the row `t`.
    ///   - rows: The entity of the rows; `nil` for a join table, whose deleted rows are in the log with all columns.
    private func note(
        _ owner: StoreLayout.Entity, _ name: String, key: String, in table: String, rows: StoreLayout.Entity?,
        column: String
    ) throws(DoctorDatabase.Failure) {
        guard let table = examination.table(table) else { return }
        var from =
            "(SELECT row, old, new FROM temp.modelc_changes WHERE tbl = \(SQLName.literal(table.name)) "
            + "AND col = \(SQLName.literal(table.columnName(column))) AND \(ChangeLog.isChange)) AS c"
        if rows != nil || key.hasPrefix("t.") {
            from += " JOIN main.\(SQLName.inQuotes(table.name)) AS t ON t.\(ChangeLog.rowColumn(of: table)) = c.row"
        }
        let scope = rows.map { $0.sharesTable ? " AND \(SQLName.isIn("t.Z_ENT", $0.numbers))" : "" } ?? ""
        try note(owner, name, key: key, from: from, scope: scope)
    }

    /// Notes that the relationships of the owners of deleted objects have changed.
    private func noteOwnersOfDeleted(_ reference: Reference) throws(DoctorDatabase.Failure) {
        guard let table = examination.table(reference.table), let rows = reference.rows else { return }
        let from =
            "temp.modelc_changes AS c JOIN temp.modelc_changes AS k ON k.tbl = c.tbl AND k.row = c.row "
            + "AND c.tbl = \(SQLName.literal(table.name)) AND c.col = '' AND c.kind = 'deleted' AND k.kind = 'kept' "
            + "AND k.col = \(SQLName.literal(table.columnName(reference.key)))"
        // The entity of a deleted row is in the log.
        let scope = rows.sharesTable ? " AND \(SQLName.isIn("c.old", rows.numbers))" : ""
        try note(reference.owner, reference.name, key: "k.old", from: from, scope: scope)
    }

    private func note(
        _ owner: StoreLayout.Entity, _ name: String, key: String, from: String, scope: String
    ) throws(DoctorDatabase.Failure) {
        try database.execute(
            "INSERT OR IGNORE INTO temp.modelc_updates SELECT \(owner.rootNumber), \(key), \(SQLName.literal(name)) "
                + "FROM \(from) WHERE typeof(\(key)) = 'integer'\(scope)")
    }

    // MARK: Writing

    private func writeUpdates(_ writer: StoreHistoryWriter) throws(DoctorDatabase.Failure) {
        var lookups: [Int64: SQLiteQuery] = [:]
        func write(root: Int64, key: Int64, names: Set<String>) throws(DoctorDatabase.Failure) {
            guard let table = Int(exactly: root).flatMap({ layout.entity(number: $0) })?.table,
                examination.has(table, "Z_PK", "Z_ENT")
            else { return }
            let lookup: SQLiteQuery
            if let known = lookups[root] {
                lookup = known
            } else {
                lookup = try database.query("SELECT Z_ENT FROM \(SQLName.inQuotes(table)) WHERE Z_PK = ?")
                lookups[root] = lookup
            }
            lookup.restart(key)
            // Objects that were deleted, or never existed, have no row, or one of another entity.
            guard try lookup.step(), let number = lookup.integer(0).flatMap({ Int(exactly: $0) }),
                let entity = layout.entity(number: number), Int64(entity.rootNumber) == root
            else { return }
            let changed = entity.properties.filter { names.contains($0.topName) }
            guard !changed.isEmpty else { return }
            try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in
                try writer.update(key, entity, properties: changed)
            }
        }
        let query = try database.query("SELECT root, key, name FROM temp.modelc_updates ORDER BY root, key")
        var object: (root: Int64, key: Int64)?
        var names: Set<String> = []
        while try query.step() {
            let next = (root: query.integer(0) ?? 0, key: query.integer(1) ?? 0)
            if let object, object != next {
                try write(root: object.root, key: object.key, names: names)
                names = []
            }
            object = next
            names.insert(query.text(2))
        }
        if let object { try write(root: object.root, key: object.key, names: names) }
    }

    private func writeDeletions(_ writer: StoreHistoryWriter) throws(DoctorDatabase.Failure) {
        // By table and column.
        var lookups: [String: [String: SQLiteQuery]] = [:]
        let query = try database.query(
            "SELECT tbl, row, old FROM temp.modelc_changes WHERE \(ChangeLog.isDeletedObject) ORDER BY tbl, row")
        while try query.step() {
            let (table, key) = (query.text(0), query.integer(1) ?? 0)
            guard let number = query.integer(2).flatMap({ Int(exactly: $0) }),
                let entity = layout.entity(number: number), SQLName.key(entity.table) == SQLName.key(table)
            else { continue }
            for column in entity.tombstones.compactMap({ $0?.column }) where lookups[table]?[column] == nil {
                lookups[table, default: [:]][column] = try database.query(
                    "SELECT old FROM temp.modelc_changes WHERE tbl = \(SQLName.literal(table)) AND row = ? "
                        + "AND col = \(SQLName.literal(column)) AND kind = 'kept'")
            }
            let known = lookups[table] ?? [:]
            try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in
                try writer.delete(key, entity) { attribute in
                    guard let lookup = known[attribute.column] else { return nil }
                    lookup.restart(key)
                    return (try? lookup.step()) == true ? sqlite3_column_value(lookup.statement, 0) : nil
                }
            }
        }
    }
}

extension DoctorDatabase {
    /// Runs a step of the writer of the history.
    static func writing<Value>(
        _ body: () throws(StoreHistoryWriter.Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(StoreHistoryWriter.Failure) {
            return try body()
        } catch {
            throw Failure(code: error.code, message: error.message)
        }
    }
}

extension StoreLayout.Property {
    /// The name of the property, or of the composite attribute that it is an element of.
    fileprivate var topName: String {
        if case .attribute(let attribute) = position, attribute.isElement { return String(name.prefix { $0 != "." }) }
        return name
    }
}
