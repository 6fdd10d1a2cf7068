internal import CSQLite3
internal import CoreData
internal import Foundation

/// Exports a store to a new database with tables and columns by the names of the model.
///
/// Each entity has a table. A to-one relationship is a foreign key; a to-many relationship without a to-one inverse is
/// a table of pairs.
final class DatabaseExport {
    /// A table of the new database that receives an entity's rows.
    private struct Table {
        var name: String
        var columns: [Column]
    }

    private struct Column {
        var name: String
        var declaration: String
        var source: Source
    }

    private enum Source {
        case attribute(String, column: Int32, StoreLayout.Attribute)
        case key(Int32)
        case entity(String, key: Int32, entity: Int32, destination: Int)
        case order(Int32)
    }

    /// A table of pairs of a relationship.
    private struct Pairs {
        var name: String
        var columns: [String]
        var isOrdered: Bool
        var isPolymorphic: Bool
        /// The exported destination tables, if there is one.
        var declarations: [String]
    }

    private let plan: ExportPlan
    private let path: String
    private let context: TextExport.Context
    private var handle: OpaquePointer?
    private var names = TableNames()
    private var tables: [Int: Table] = [:]
    /// The tables of pairs by the hierarchy's index and the cursor.
    private var pairs: [[Int]: Pairs] = [:]

    init(_ plan: ExportPlan, path: String) {
        self.plan = plan
        self.path = path
        context = TextExport.Context(plan, folder: nil)
    }

    deinit { sqlite3_close_v2(handle) }

    func run() throws(StoreExporter.Failure) -> StoreExporter.Summary {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        handle = opened
        guard code == SQLITE_OK else { throw failure() }
        // Only the finished file matters, so there is no need for a journal.
        try execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = \(StoreExporter.applicationID); BEGIN"
        )
        for hierarchy in plan.hierarchies {
            for entity in hierarchy.sortedEntities { addTable(entity) }
        }
        for (index, hierarchy) in plan.hierarchies.enumerated() { addPairs(hierarchy, index) }
        for number in tables.keys.sorted() { try create(tables[number]) }
        for key in pairs.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { try create(pairs[key]) }
        var counts: [Int: Int] = [:]
        for (index, hierarchy) in plan.hierarchies.enumerated() { try copy(hierarchy, index, &counts) }
        for number in tables.keys.sorted() { try createIndexes(tables[number]) }
        for key in pairs.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let table = pairs[key], table.columns.count > 1 else { continue }
            try execute(
                "CREATE INDEX \(SQL.name(names.name("\(table.name)_\(table.columns[1])"))) "
                    + "ON \(SQL.name(table.name))(\(SQL.name(table.columns[1])))")
        }
        try execute("COMMIT")
        guard sqlite3_close(handle) == SQLITE_OK else { throw failure() }
        handle = nil
        try NewFile.synchronize(path)
        return context.summary(counts)
    }

    // MARK: Tables

    private func addTable(_ entity: ExportPlan.Entity) {
        var own = TableNames(reserved: ["_id"])
        var columns: [Column] = []
        func add(_ name: String, _ declaration: String, from source: Source) {
            columns.append(Column(name: own.name(name), declaration: declaration, source: source))
        }
        for property in entity.properties {
            switch property.kind {
            case .attribute(let column, let attribute):
                add(property.name, type(attribute.type), from: .attribute(property.name, column: column, attribute))
            case .toOne(let key, let number, let order, let toOne):
                var declaration = "INTEGER"
                if number == nil, let destination = plan.layout.entity(number: toOne.destination),
                    isExported(destination.number)
                {
                    declaration += " REFERENCES \(SQL.name(tableName(destination.number)))(\"_id\")"
                }
                add(property.name, declaration, from: .key(key))
                if let number {
                    add(
                        "\(property.name)_entity", "TEXT",
                        from: .entity(property.name, key: key, entity: number, destination: toOne.destination))
                }
                if let order { add("\(property.name)_position", "INTEGER", from: .order(order)) }
            case .toMany: continue
            }
        }
        tables[entity.layout.number] = Table(name: tableName(entity.layout.number), columns: columns)
    }

    private func isExported(_ number: Int) -> Bool {
        plan.hierarchies.contains { $0.entities[number] != nil }
    }

    private var tableNames: [Int: String] = [:]

    private func tableName(_ number: Int) -> String {
        if let known = tableNames[number] { return known }
        let name = names.name(plan.layout.entity(number: number)?.name ?? "\(number)")
        tableNames[number] = name
        return name
    }

    private func type(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType: "INTEGER"
        case .doubleAttributeType, .floatAttributeType: "REAL"
        case .dateAttributeType: plan.options.dates == .iso ? "TEXT" : "REAL"
        case .binaryDataAttributeType: "BLOB"
        default: "TEXT"
        }
    }

    private func addPairs(_ hierarchy: ExportPlan.Hierarchy, _ index: Int) {
        for (number, cursor) in hierarchy.cursors.enumerated() where !cursor.hasToOneInverse && isCanonical(cursor) {
            var own = TableNames()
            let owner = own.name(Self.lowered(cursor.owner.name))
            let member = own.name(Self.lowered(cursor.destination.name))
            var columns = [owner, member]
            func reference(_ entity: StoreLayout.Entity) -> String {
                entity.numbers.count == 1 && isExported(entity.number)
                    ? " REFERENCES \(SQL.name(tableName(entity.number)))(\"_id\")" : ""
            }
            var declarations = [
                "\(SQL.name(owner)) INTEGER NOT NULL\(reference(cursor.owner))",
                "\(SQL.name(member)) INTEGER NOT NULL\(reference(cursor.destination))",
            ]
            if cursor.isPolymorphic {
                columns.append(own.name("\(member)_entity"))
                declarations.append("\(SQL.name(columns[2])) TEXT")
            }
            if cursor.isOrdered {
                columns.append(own.name("position"))
                declarations.append("\(SQL.name(columns[columns.count - 1])) INTEGER")
            }
            pairs[[index, number]] = Pairs(
                name: names.name("\(cursor.owner.name)_\(cursor.name)"), columns: columns, isOrdered: cursor.isOrdered,
                isPolymorphic: cursor.isPolymorphic, declarations: declarations)
        }
    }

    /// Returns whether the pairs of a relationship are written for this one of the two.
    private func isCanonical(_ cursor: ExportPlan.Cursor) -> Bool {
        guard let relationship = plan.layout.description(of: cursor.owner.name)?.relationshipsByName[cursor.name],
            let inverse = relationship.inverseRelationship, inverse !== relationship
        else { return true }
        let other = plan.hierarchies.lazy.flatMap(\.cursors).first {
            $0.name == inverse.name && $0.owner.name == inverse.entity.name
        }
        guard let other else { return true }
        if cursor.isOrdered || other.isOrdered { return cursor.isOrdered }
        return (cursor.owner.name, cursor.name) < (other.owner.name, other.name)
    }

    private static func lowered(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    private func create(_ table: Table?) throws(StoreExporter.Failure) {
        guard let table else { return }
        let columns = ["\"_id\" INTEGER PRIMARY KEY"] + table.columns.map { "\(SQL.name($0.name)) \($0.declaration)" }
        try execute("CREATE TABLE \(SQL.name(table.name)) (\n    \(columns.joined(separator: ",\n    "))\n)")
    }

    private func create(_ table: Pairs?) throws(StoreExporter.Failure) {
        guard let table else { return }
        try execute(
            "CREATE TABLE \(SQL.name(table.name)) (\n    \(table.declarations.joined(separator: ",\n    ")),\n    "
                + "PRIMARY KEY (\(SQL.name(table.columns[0])), \(SQL.name(table.columns[1])))\n) WITHOUT ROWID")
    }

    private func createIndexes(_ table: Table?) throws(StoreExporter.Failure) {
        guard let table else { return }
        for column in table.columns {
            guard case .key = column.source else { continue }
            try execute(
                "CREATE INDEX \(SQL.name(names.name("\(table.name)_\(column.name)"))) "
                    + "ON \(SQL.name(table.name))(\(SQL.name(column.name)))")
        }
    }

    // MARK: Rows

    private func copy(
        _ hierarchy: ExportPlan.Hierarchy, _ index: Int, _ counts: inout [Int: Int]
    ) throws(StoreExporter.Failure) {
        var insertions: [Int: Insertion] = [:]
        for number in hierarchy.entities.keys {
            guard let table = tables[number] else { continue }
            insertions[number] = try Insertion(self, table.name, count: table.columns.count + 1)
        }
        var members: [(cursor: Int, table: Pairs, insertion: Insertion)] = []
        for cursor in hierarchy.cursors.indices {
            guard let table = pairs[[index, cursor]] else { continue }
            members.append((cursor, table, try Insertion(self, table.name, count: table.columns.count)))
        }
        let irregular = try RowScan(plan: plan, hierarchy: hierarchy).run { row throws(StoreExporter.Failure) in
            let number = row.entity.layout.number
            guard let insertion = insertions[number], let table = tables[number] else { return }
            counts[number, default: 0] += 1
            sqlite3_bind_int64(insertion.statement, 1, row.key)
            for (position, column) in table.columns.enumerated() {
                bind(column.source, row, insertion.statement, Int32(position + 2))
            }
            try insertion.run()
            for (cursor, table, insertion) in members
            where row.entity.properties.contains(where: { Self.reads($0, cursor) }) {
                var position: Int64 = 0
                try row.forEachMember(cursor) { key, number throws(StoreExporter.Failure) in
                    sqlite3_bind_int64(insertion.statement, 1, row.key)
                    sqlite3_bind_int64(insertion.statement, 2, key)
                    if table.isPolymorphic {
                        Self.bind(plan.name(ofEntity: number) ?? "", insertion.statement, 3)
                    }
                    if table.isOrdered {
                        sqlite3_bind_int64(insertion.statement, Int32(table.columns.count), position)
                        position += 1
                    }
                    try insertion.run()
                }
            }
        }
        context.addRows(irregular, of: hierarchy)
    }

    private static func reads(_ property: ExportPlan.Property, _ cursor: Int) -> Bool {
        if case .toMany(let number) = property.kind { number == cursor } else { false }
    }

    private func bind(_ source: Source, _ row: RowScan.Row, _ target: OpaquePointer, _ position: Int32) {
        switch source {
        case .key(let column), .order(let column):
            sqlite3_bind_value(target, position, sqlite3_column_value(row.statement, column))
        case .entity(let property, let key, let entity, let destination):
            guard let reference = Reference.read(row.statement, key, entity: entity, of: destination),
                context.isKnown(reference, of: row.entity, property)
            else {
                sqlite3_bind_null(target, position)
                return
            }
            Self.bind(plan.name(ofEntity: reference.entity) ?? "", target, position)
        case .attribute(let name, let column, let attribute):
            let form = StoredForm(row.statement, column, type: attribute.type, isExternal: attribute.isExternal)
            bind(form, row, name: name, column: column, target, position)
        }
    }

    private func bind(
        _ form: StoredForm, _ row: RowScan.Row, name: String, column: Int32, _ target: OpaquePointer, _ position: Int32
    ) {
        switch form {
        case .realDecimal(let number): Self.bind(ExportedNumber.text(decimal: number), target, position)
        case .wholeDecimal(let number): Self.bind("\(number)", target, position)
        case .date(let seconds):
            switch plan.options.dates {
            case .iso:
                var text: [UInt8] = []
                if ISODate.append(seconds, quote: nil, to: &text) {
                    Self.bind(String(decoding: text, as: UTF8.self), target, position)
                } else {
                    sqlite3_bind_double(target, position, seconds)
                }
            case .unix: sqlite3_bind_double(target, position, seconds + 978_307_200)
            case .seconds: sqlite3_bind_double(target, position, seconds)
            }
        case .uuid(let uuid):
            var text: [UInt8] = []
            text.append(uuid: uuid)
            Self.bind(String(decoding: text, as: UTF8.self), target, position)
        case .bytes(let content): Self.bind(content, target, position)
        case .archive(let content): bind(archive: content, target, position)
        case .file(let file, let isArchive):
            guard let content = context.externalBytes(file, of: row.entity.layout.name, name) else {
                sqlite3_bind_null(target, position)
                return
            }
            content.withUnsafeBytes { content in
                if isArchive {
                    bind(archive: content, target, position)
                } else {
                    Self.bind(content, target, position)
                }
            }
        case .null, .integer, .boolean, .real, .float, .notANumber, .text, .other:
            sqlite3_bind_value(target, position, sqlite3_column_value(row.statement, column))
        }
    }

    private func bind(archive content: UnsafeRawBufferPointer, _ target: OpaquePointer, _ position: Int32) {
        guard let text = ArchiveJSON.text(content) else { return Self.bind(content, target, position) }
        Self.bind(String(decoding: text, as: UTF8.self), target, position)
    }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func bind(_ text: String, _ target: OpaquePointer, _ position: Int32) {
        sqlite3_bind_text(target, position, text, -1, transient)
    }

    private static func bind(_ bytes: UnsafeRawBufferPointer, _ target: OpaquePointer, _ position: Int32) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(target, position, 0)
        } else {
            sqlite3_bind_blob64(target, position, bytes.baseAddress, UInt64(bytes.count), transient)
        }
    }

    // MARK: SQLite

    /// A statement that inserts rows.
    private final class Insertion {
        let statement: OpaquePointer
        private let export: DatabaseExport

        init(_ export: DatabaseExport, _ table: String, count: Int) throws(StoreExporter.Failure) {
            self.export = export
            var prepared: OpaquePointer?
            let values = Array(repeating: "?", count: count).joined(separator: ", ")
            // Duplicate pairs are faults of the store, and nothing is lost with them.
            sqlite3_prepare_v2(
                export.handle, "INSERT OR IGNORE INTO \(SQL.name(table)) VALUES (\(values))", -1, &prepared, nil)
            guard let prepared else { throw export.failure() }
            statement = prepared
        }

        deinit { sqlite3_finalize(statement) }

        func run() throws(StoreExporter.Failure) {
            guard sqlite3_step(statement) == SQLITE_DONE else { throw export.failure() }
            sqlite3_reset(statement)
        }
    }

    private func execute(_ sql: String) throws(StoreExporter.Failure) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    private func failure() -> StoreExporter.Failure {
        StoreExporter.Failure(
            .output, "the database cannot be written: \(String(cString: sqlite3_errmsg(handle)))",
            help: "Nothing was exported. Choose another --output.")
    }
}

/// Names of tables and columns, unique regardless of case.
struct TableNames {
    private var taken: Set<String>

    init(reserved: [String] = []) {
        taken = Set(reserved.map(SQLName.key))
    }

    mutating func name(_ name: String) -> String {
        // SQLite reserves the prefix.
        let base = SQLName.key(name).hasPrefix("sqlite_") ? "_\(name)" : name
        var result = base
        var number = 2
        while !taken.insert(SQLName.key(result)).inserted {
            result = "\(base)_\(number)"
            number += 1
        }
        return result
    }
}
