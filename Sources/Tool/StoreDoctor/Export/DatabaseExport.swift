internal import CSQLite3
internal import CoreData
internal import Foundation
internal import StoreFile

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
        for (index, hierarchy) in plan.hierarchies.enumerated() { try copy(hierarchy, at: index, counts: &counts) }
        for number in tables.keys.sorted() { try createIndexes(tables[number]) }
        for key in pairs.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let table = pairs[key], table.columns.count > 1 else { continue }
            try execute(
                "CREATE INDEX \(SQLName.inQuotes(names.name("\(table.name)_\(table.columns[1])"))) "
                    + "ON \(SQLName.inQuotes(table.name))(\(SQLName.inQuotes(table.columns[1])))")
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
                    declaration += " REFERENCES \(SQLName.inQuotes(tableName(destination.number)))(\"_id\")"
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
                    ? " REFERENCES \(SQLName.inQuotes(tableName(entity.number)))(\"_id\")" : ""
            }
            var declarations = [
                "\(SQLName.inQuotes(owner)) INTEGER NOT NULL\(reference(cursor.owner))",
                "\(SQLName.inQuotes(member)) INTEGER NOT NULL\(reference(cursor.destination))",
            ]
            if cursor.isPolymorphic {
                columns.append(own.name("\(member)_entity"))
                declarations.append("\(SQLName.inQuotes(columns[2])) TEXT")
            }
            if cursor.isOrdered {
                columns.append(own.name("position"))
                declarations.append("\(SQLName.inQuotes(columns[columns.count - 1])) INTEGER")
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
        let columns =
            ["\"_id\" INTEGER PRIMARY KEY"] + table.columns.map { "\(SQLName.inQuotes($0.name)) \($0.declaration)" }
        try execute("CREATE TABLE \(SQLName.inQuotes(table.name)) (\n    \(columns.joined(separator: ",\n    "))\n)")
    }

    private func create(_ table: Pairs?) throws(StoreExporter.Failure) {
        guard let table else { return }
        try execute(
            "CREATE TABLE \(SQLName.inQuotes(table.name)) (\n    \(table.declarations.joined(separator: ",\n    ")),\n    "
                + "PRIMARY KEY (\(SQLName.inQuotes(table.columns[0])), \(SQLName.inQuotes(table.columns[1])))\n) WITHOUT ROWID"
        )
    }

    private func createIndexes(_ table: Table?) throws(StoreExporter.Failure) {
        guard let table else { return }
        for column in table.columns {
            guard case .key = column.source else { continue }
            try execute(
                "CREATE INDEX \(SQLName.inQuotes(names.name("\(table.name)_\(column.name)"))) "
                    + "ON \(SQLName.inQuotes(table.name))(\(SQLName.inQuotes(column.name)))")
        }
    }

    // MARK: Rows

    private func copy(
        _ hierarchy: ExportPlan.Hierarchy, at index: Int, counts: inout [Int: Int]
    ) throws(StoreExporter.Failure) {
        var insertions: [Int: SQLiteQuery] = [:]
        for number in hierarchy.entities.keys {
            guard let table = tables[number] else { continue }
            insertions[number] = try insertion(into: table.name, count: table.columns.count + 1)
        }
        var members: [(cursor: Int, table: Pairs, insertion: SQLiteQuery)] = []
        for cursor in hierarchy.cursors.indices {
            guard let table = pairs[[index, cursor]] else { continue }
            members.append((cursor, table, try insertion(into: table.name, count: table.columns.count)))
        }
        let irregular = try RowScan(plan: plan, hierarchy: hierarchy).run { row throws(StoreExporter.Failure) in
            let number = row.entity.layout.number
            guard let insertion = insertions[number], let table = tables[number] else { return }
            counts[number, default: 0] += 1
            insertion.bind(row.key, at: 1)
            for (position, column) in table.columns.enumerated() {
                bind(column.source, of: row, to: insertion, at: position + 2)
            }
            try run(insertion)
            for (cursor, table, insertion) in members
            where row.entity.properties.contains(where: { Self.reads($0, cursor) }) {
                var position: Int64 = 0
                try row.forEachMember(cursor) { key, number throws(StoreExporter.Failure) in
                    insertion.bind(row.key, at: 1)
                    insertion.bind(key, at: 2)
                    if table.isPolymorphic { insertion.bind(plan.name(ofEntity: number) ?? "", at: 3) }
                    if table.isOrdered {
                        insertion.bind(position, at: table.columns.count)
                        position += 1
                    }
                    try run(insertion)
                }
            }
        }
        context.addRows(irregular, of: hierarchy)
    }

    private static func reads(_ property: ExportPlan.Property, _ cursor: Int) -> Bool {
        if case .toMany(let number) = property.kind { number == cursor } else { false }
    }

    private func bind(_ source: Source, of row: RowScan.Row, to insertion: SQLiteQuery, at position: Int) {
        switch source {
        case .key(let column), .order(let column): insertion.bind(column: column, of: row.statement, at: position)
        case .entity(let property, let key, let entity, let destination):
            guard let reference = Reference.read(row.statement, key, entity: entity, of: destination),
                context.isKnown(reference, of: row.entity, property)
            else { return insertion.bindNull(at: position) }
            insertion.bind(plan.name(ofEntity: reference.entity) ?? "", at: position)
        case .attribute(let name, let column, let attribute):
            let form = StoredForm(row.statement, column, type: attribute.type, isExternal: attribute.isExternal)
            bind(form, of: row, name: name, column: column, to: insertion, at: position)
        }
    }

    private func bind(
        _ form: StoredForm, of row: RowScan.Row, name: String, column: Int32, to insertion: SQLiteQuery,
        at position: Int
    ) {
        switch form {
        case .realDecimal(let number): insertion.bind(ExportedNumber.text(decimal: number), at: position)
        case .wholeDecimal(let number): insertion.bind("\(number)", at: position)
        case .date(let seconds):
            switch plan.options.dates {
            case .iso:
                var text: [UInt8] = []
                if ISODate.append(seconds, quote: nil, to: &text) {
                    text.withUnsafeBytes { insertion.bind(utf8: $0, at: position) }
                } else {
                    insertion.bind(seconds, at: position)
                }
            case .unix: insertion.bind(seconds + 978_307_200, at: position)
            case .seconds: insertion.bind(seconds, at: position)
            }
        case .uuid(let uuid):
            var text: [UInt8] = []
            text.append(uuid: uuid)
            text.withUnsafeBytes { insertion.bind(utf8: $0, at: position) }
        case .bytes(let content): insertion.bind(content, at: position)
        case .archive(let content): Self.bind(archive: content, to: insertion, at: position)
        case .file(let file, let isArchive):
            guard let content = context.externalBytes(file, of: row.entity.layout.name, name) else {
                return insertion.bindNull(at: position)
            }
            content.withUnsafeBytes { content in
                if isArchive {
                    Self.bind(archive: content, to: insertion, at: position)
                } else {
                    insertion.bind(content, at: position)
                }
            }
        case .null, .integer, .boolean, .real, .float, .notANumber, .text, .other:
            insertion.bind(column: column, of: row.statement, at: position)
        }
    }

    private static func bind(archive content: UnsafeRawBufferPointer, to insertion: SQLiteQuery, at position: Int) {
        guard let text = ArchiveJSON.text(content) else { return insertion.bind(content, at: position) }
        insertion.bind(String(decoding: text, as: UTF8.self), at: position)
    }

    // MARK: SQLite

    /// Returns a statement that inserts rows.
    private func insertion(into table: String, count: Int) throws(StoreExporter.Failure) -> SQLiteQuery {
        let values = Array(repeating: "?", count: count).joined(separator: ", ")
        guard let handle else { throw failure() }
        do throws(SQLiteQuery.Failure) {
            // Duplicate pairs are faults of the store, and nothing is lost with them.
            return try SQLiteQuery(
                "INSERT OR IGNORE INTO \(SQLName.inQuotes(table)) VALUES (\(values))", on: handle, of: self)
        } catch {
            throw failure()
        }
    }

    private func run(_ insertion: SQLiteQuery) throws(StoreExporter.Failure) {
        do throws(SQLiteQuery.Failure) { _ = try insertion.step() } catch { throw failure() }
        insertion.reset()
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
