internal import CSQLite3
internal import CompiledModel
internal import CoreData
internal import Foundation
internal import StoreFile

/// A store whose file may be damaged: its schema and its model, as far as they can be read.
struct DamagedStore {
    struct Table {
        var name: String
        var root: Int
        /// The statement that creates the table.
        var sql: String
        var columns: [(name: String, type: String)]
        /// The position of the column that is the key of the rows; `nil` if there is none.
        var keyColumn: Int?
    }

    let file: PageFile
    private(set) var tables: [Table] = []
    /// The statements that create indexes and triggers.
    private(set) var otherStatements: [String] = []
    /// The statements that create spatial indexes.
    private(set) var spatialIndexes: [(name: String, sql: String)] = []
    /// The names of tables with a definition that Core Data does not write.
    private(set) var unusualTables: [String] = []
    /// Whether the schema of the file can be read.
    private(set) var hasSchema = false
    let model: NSManagedObjectModel
    let layout: StoreLayout
    /// The store's identifier; empty if it cannot be read.
    private(set) var uuid = ""
    /// The names and numbers of the entities in `Z_PRIMARYKEY`.
    private(set) var numbers: [String: Int] = [:]

    /// Reads the schema of a file.
    ///
    /// - Throws: `StoreDoctor.Failure` if there is no page, or no model.
    init(path: String, model given: NSManagedObjectModel?) throws {
        guard let file = PageFile(path: path) else {
            throw StoreDoctor.Failure(kind: .notAStore, message: "the file is empty or cannot be read")
        }
        self.file = file
        let scratch = try DoctorDatabase(changing: ":memory:", creates: true)
        var schema = Self.schema(file, scratch)
        hasSchema = schema.tables.contains { $0.name.uppercased().hasPrefix("Z") }
        func rows(_ name: String) -> [LeafCell] {
            guard let table = schema.tables.first(where: { $0.name.uppercased() == name }) else { return [] }
            var rows: [LeafCell] = []
            var walk = TableWalk(file)
            walk.forEach(root: table.root) { if rows.count < 100_000 { rows.append($0) } }
            return rows
        }
        numbers = Self.entityNumbers(rows("Z_PRIMARYKEY"))
        if let row = rows("Z_METADATA").first, row.record.values.count > 1, case .text(let text) = row.record.values[1]
        {
            uuid = String(decoding: text, as: UTF8.self)
        }
        guard let model = given ?? Self.cachedModel(rows("Z_MODELCACHE")) else {
            guard hasSchema || schema.tables.isEmpty else {
                throw StoreDoctor.Failure(kind: .notAStore, message: "the database was not created by Core Data")
            }
            throw StoreDoctor.Failure(
                kind: .noModel,
                message: StoreFileStatus(path: path).isDatabase
                    ? "the model in the store cannot be read"
                    : "the file does not begin like a SQLite store, and no model can be read in it")
        }
        self.model = model
        if !hasSchema {
            // A new store of the model has the same tables, except one that was migrated.
            schema.tables = try Self.newTables(model)
        }
        tables = schema.tables
        otherStatements = schema.others
        spatialIndexes = schema.spatial
        unusualTables = schema.unusual
        do throws(StoreLayout.Failure) {
            layout = try StoreLayout(
                of: model, tables: tables.map { StoreLayout.Table(name: $0.name, columns: $0.columns.map(\.name)) },
                numbers: numbers)
        } catch {
            throw StoreDoctor.Failure(kind: .unchangeable, message: "the model cannot be used: \(error.description)")
        }
        // What a damaged schema lacks.
        let known = Set(tables.map { SQLName.key($0.name) } + schema.unusual.map(SQLName.key))
        for table in layout.tables where !known.contains(SQLName.key(table.name)) {
            tables.append(
                Table(
                    name: table.name, root: 0, sql: StoreExamination.creation(of: table), columns: table.columns,
                    keyColumn: table.isJoin ? nil : 0))
        }
    }

    /// Returns the names and numbers of the entities in the rows of `Z_PRIMARYKEY`.
    private static func entityNumbers(_ rows: [LeafCell]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for row in rows {
            guard row.record.values.count > 1, case .text(let name) = row.record.values[1],
                (1..<16_000).contains(row.key)
            else { continue }
            numbers[String(decoding: name, as: UTF8.self)] = Int(row.key)
        }
        return numbers
    }

    /// Returns the model in the rows of `Z_MODELCACHE`; `nil` if it cannot be read.
    private static func cachedModel(_ rows: [LeafCell]) -> NSManagedObjectModel? {
        guard case .bytes(let content)? = rows.first?.record.values.first,
            let archive = ModelCache.archive(in: content)
        else { return nil }
        return try? NSManagedObjectModel(try DecodedModel(archive, name: "Z_MODELCACHE"))
    }

    /// The tables of the model that a readable schema lacks.
    var missingTables: [String] {
        guard hasSchema else { return [] }
        let known = Set(tables.filter { $0.root > 0 }.map { SQLName.key($0.name) } + unusualTables.map(SQLName.key))
        return layout.tables.map(\.name).filter { !known.contains(SQLName.key($0)) }
    }

    /// The shapes of the records of object tables.
    var shapes: [TableShape] {
        tables.compactMap { table in
            let entities = layout.entities.filter { SQLName.key($0.table) == SQLName.key(table.name) }
            return TableShape(
                table: table.name, columns: table.columns,
                entities: Set(entities.filter { !$0.isAbstract }.map { Int64($0.number) }))
        }
    }

    private struct Schema {
        var tables: [Table] = []
        var others: [String] = []
        var spatial: [(name: String, sql: String)] = []
        var unusual: [String] = []
    }

    private static func schema(_ file: PageFile, _ scratch: DoctorDatabase) -> Schema {
        var schema = Schema()
        var walk = TableWalk(file)
        walk.forEach(root: 1) { cell in
            let values = cell.record.values
            guard values.count == 5, case .text(let type) = values[0], case .text(let nameBytes) = values[1],
                case .integer(let root) = values[3], case .text(let sqlBytes) = values[4], schema.tables.count < 20_000
            else { return }
            let (name, sql) = (String(decoding: nameBytes, as: UTF8.self), String(decoding: sqlBytes, as: UTF8.self))
            guard !name.lowercased().hasPrefix("sqlite_"), sql.utf8.count < 1_000_000 else { return }
            if type.elementsEqual("table".utf8) {
                if root == 0, sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE "),
                    sql.uppercased().contains(" USING RTREE"),
                    !sql.contains(";")
                {
                    schema.spatial.append((name, sql))
                    return
                }
                guard root > 0, root <= Int64(file.pageCount), isPlainTable(sql),
                    (try? scratch.execute(sql)) != nil, let table = table(name, root: Int(root), sql: sql, scratch)
                else {
                    // The runtime's list of files to remove can be empty.
                    if SQLName.key(name) != SQLName.key(StoreLayout.droppedFilesTable) { schema.unusual.append(name) }
                    return
                }
                schema.tables.append(table)
            } else if sql.uppercased().hasPrefix("CREATE INDEX") || sql.uppercased().hasPrefix("CREATE UNIQUE INDEX")
                || sql.uppercased().hasPrefix("CREATE TRIGGER")
            {
                schema.others.append(sql)
            }
        }
        return schema
    }

    /// Returns whether a statement from the file creates a table as Core Data does, and does nothing else.
    private static func isPlainTable(_ sql: String) -> Bool {
        // Every second part is a name in quotes.
        let parts = sql.uppercased().split(separator: "\"", omittingEmptySubsequences: false)
        let plain = parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
        guard plain.hasPrefix("CREATE TABLE "), !plain.contains(where: { ";'`[".contains($0) }) else { return false }
        let words = plain.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return !words.contains { ["AS", "SELECT", "WITHOUT", "CHECK", "GENERATED"].contains($0) }
    }

    private static func table(_ name: String, root: Int, sql: String, _ database: DoctorDatabase) -> Table? {
        var columns: [(name: String, type: String)] = []
        var keys: [Int] = []
        try? database.forEach("SELECT name, type, pk FROM pragma_table_info(\(SQLName.literal(name)))") { row in
            if row.integer(2) ?? 0 > 0 { keys.append(columns.count) }
            columns.append((row.text(0), row.text(1)))
        }
        guard !columns.isEmpty else { return nil }
        let isAlias = keys.count == 1 && columns[keys[0]].type.uppercased() == "INTEGER"
        return Table(name: name, root: root, sql: sql, columns: columns, keyColumn: isAlias ? keys[0] : nil)
    }

    private static func newTables(_ model: NSManagedObjectModel) throws -> [Table] {
        let scratch = try DoctorDatabase(changing: ":memory:", creates: true)
        for statement in try SchemaStatements.sqlite(model, configuration: nil) { try scratch.execute(statement) }
        var names: [String] = []
        var statements: [String: String] = [:]
        try scratch.forEach("SELECT name, sql FROM sqlite_master WHERE type = 'table'") { row in
            names.append(row.text(0))
            statements[row.text(0)] = row.text(1)
        }
        return names.compactMap { table($0, root: 0, sql: statements[$0] ?? "", scratch) }
    }
}
