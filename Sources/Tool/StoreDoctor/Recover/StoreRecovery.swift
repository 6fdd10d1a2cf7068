internal import CSQLite3
package import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// Copies what can be read of a damaged store to a new one.
package struct StoreRecovery {
    /// What was saved.
    package struct Result: Sendable {
        /// The number of saved rows of each entity.
        package var saved: [(entity: String, rows: Int64)] = []
        /// What could not be read, by table: pages, rows on readable pages, and the ranges of lost keys.
        package var losses: [(table: String, entities: [String], pages: Int, rows: Int, keys: [String])] = []
        /// The number of rows on pages that no table refers to, which were assigned by their form.
        package var reassigned = 0
        /// The tables that were not saved, because Core Data does not write such definitions.
        package var unusualTables: [String] = []
        /// The tables of the model that are not in the schema of the file, although it can be read.
        package var missingTables: [String] = []
        /// Whether the schema of the file could be read.
        package var hasSchema = true
        /// What the check of the new store finds.
        package var remaining: [StoreFinding] = []

        /// Whether anything is missing.
        package var isComplete: Bool {
            hasSchema && losses.isEmpty && unusualTables.isEmpty && missingTables.isEmpty && remaining.isEmpty
        }
    }

    private let path: String
    private let model: NSManagedObjectModel?

    /// Creates a recovery.
    ///
    /// - Parameters:
    ///   - path: The path of the damaged store, which is only read.
    ///   - model: The model; `nil` for the one in the store.
    package init(path: String, model: NSManagedObjectModel?) {
        self.path = path
        self.model = model
    }

    /// The repairs that a recovered store gets: its schema and its last keys.
    private static let repairs: Set<RuleID> = [
        .tableMissing, .columnMissing, .indexMissing, .uniqueIndexMissing, .derivedTriggerMissing, .entityRowMissing,
        .entityParent, .maxBehind, .historyMax,
    ]

    /// The tables by which a store describes itself.
    private static let descriptions: Set<String> = ["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"]

    /// Writes the new store.
    ///
    /// - Parameter target: The path of the new store, at which there is no file.
    /// - Throws: `StoreDoctor.Failure` if nothing can be read, or the new store cannot be written.
    package func write(to target: String) throws(StoreDoctor.Failure) -> Result {
        do {
            let store = try DamagedStore(path: path, model: model)
            try Self.create(target, store.model)
            var result = Result()
            result.hasSchema = store.hasSchema
            result.unusualTables = store.unusualTables
            result.missingTables = store.missingTables
            try copy(store, to: target, &result)
            try StoreSnapshot.copyExternalFiles(of: path, to: target)
            var options = StoreRepairer.Options()
            options.only = Self.repairs
            let repairer = StoreRepairer(path: target, original: target, model: store.model, options: options)
            result.remaining = try repairer.run { _ in }.remaining
            return result
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }

    /// Creates an empty store of a model.
    private static func create(_ path: String, _ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: nil)
        try coordinator.remove(store)
    }

    private func copy(_ store: DamagedStore, to target: String, _ result: inout Result) throws {
        let database = try DoctorDatabase(changing: target)
        try RepairFunctions.register(on: database)
        try database.execute("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
        var visited: Set<Int> = []
        var schemaWalk = TableWalk(store.file)
        schemaWalk.forEach(root: 1) { _ in }
        visited.formUnion(schemaWalk.visited)
        var isDamaged =
            schemaWalk.loss.pages + schemaWalk.loss.rows > 0 || !store.hasSchema || !store.missingTables.isEmpty
        if schemaWalk.loss.pages + schemaWalk.loss.rows > 0 {
            result.losses.append(
                ("sqlite_master", store.layout.entities.map(\.name), schemaWalk.loss.pages, schemaWalk.loss.rows, []))
        }
        let shadows = try replaceTables(store, database)
        for table in store.tables where table.root > 0 {
            let isShadow = shadows.contains(SQLName.key(table.name))
            let walk = try copy(table, of: store.file, isShadow: isShadow, excluding: visited, to: database)
            visited.formUnion(walk.visited)
            guard walk.loss.pages + walk.loss.rows > 0 else { continue }
            isDamaged = true
            let entities = store.layout.entities.filter { SQLName.key($0.table) == SQLName.key(table.name) }.map(\.name)
            result.losses.append(
                (
                    table.name, entities, walk.loss.pages, walk.loss.rows,
                    walk.loss.keys.prefix(100).map { Self.range($0.after, $0.through) }
                ))
        }
        if isDamaged { result.reassigned = try reassign(store, visited, database) }
        for statement in store.otherStatements {
            // The repair creates those that the model needs, and what is not unique is a finding.
            if statement.uppercased().contains("Z_RT_"), shadows.isEmpty { continue }
            if let query = try? database.query(statement) { _ = try? query.step() }
        }
        for entity in store.layout.entities where !entity.isAbstract {
            let count = try? database.integer(
                "SELECT count(*) FROM \(SQLName.inQuotes(entity.table)) WHERE Z_ENT = \(entity.number)")
            result.saved.append((entity.name, count ?? 0))
        }
        result.saved.sort { $0.entity < $1.entity }
        try database.execute("COMMIT")
        try database.checkpoint()
    }

    /// Replaces the tables of the new store by empty ones of the damaged store's, as far as these have no pages.
    ///
    /// - Returns: The keys of the tables in which spatial indexes have their data, which SQLite creates.
    private func replaceTables(_ store: DamagedStore, _ database: DoctorDatabase) throws -> Set<String> {
        // The tables of a store that was migrated have other names than those of a new one.
        var names: [String] = []
        try database.forEach("SELECT name FROM sqlite_master WHERE type = 'table'") { names.append($0.text(0)) }
        for name in names where !Self.descriptions.contains(name.uppercased()) && !name.hasPrefix("sqlite_") {
            try database.execute("DROP TABLE \(SQLName.inQuotes(name))")
        }
        var shadows: Set<String> = []
        for index in store.spatialIndexes {
            // SQLite may have been built without them.
            guard (try? database.execute(index.sql)) != nil else { continue }
            shadows.formUnion(["node", "parent", "rowid"].map { SQLName.key("\(index.name)_\($0)") })
        }
        for table in store.tables where table.root == 0 && !Self.descriptions.contains(table.name.uppercased()) {
            try database.execute(table.sql)
        }
        return shadows
    }

    /// Copies the readable rows of a table, except those on pages of other tables.
    private func copy(
        _ table: DamagedStore.Table, of file: PageFile, isShadow: Bool, excluding visited: Set<Int>,
        to database: DoctorDatabase
    ) throws -> TableWalk {
        let rows = TableWriter(table, database)
        var walk = TableWalk(file)
        try database.execute("SAVEPOINT modelc_table")
        if isShadow {
            try database.execute("DELETE FROM \(SQLName.inQuotes(table.name))")
        } else {
            try database.execute("DROP TABLE IF EXISTS \(SQLName.inQuotes(table.name))")
            try database.execute(table.sql)
        }
        try walk.forEach(root: table.root, taken: visited) { try rows.insert($0) }
        // The new store's own description is better than none.
        let isDescription = Self.descriptions.contains(table.name.uppercased())
        if isDescription, try !Self.isUsable(table.name.uppercased(), database) {
            try database.execute("ROLLBACK TO modelc_table; RELEASE modelc_table")
        } else {
            try database.execute("RELEASE modelc_table")
        }
        return walk
    }

    private static func range(_ after: Int64?, _ through: Int64?) -> String {
        switch (after, through) {
        case (nil, nil): "all"
        case (let after?, nil): "after \(after)"
        case (nil, let through?): "up to \(through)"
        case (let after?, let through?): "\(after == .max ? after : after + 1)–\(through)"
        }
    }

    private static func isUsable(_ table: String, _ database: DoctorDatabase) throws -> Bool {
        switch table {
        case "Z_METADATA":
            let row = try StoreMetadataRow(database, hasTable: true)
            return row.rowCount == 1 && row.hashes != nil
        case "Z_MODELCACHE": return try CachedModel.read(database, hasTable: true).model != nil
        default: return try database.integer("SELECT 1 FROM Z_PRIMARYKEY LIMIT 1") != nil
        }
    }

    /// Adds the rows on pages that no table refers to, because the pages that did are damaged.
    private func reassign(
        _ store: DamagedStore, _ visited: Set<Int>, _ database: DoctorDatabase
    ) throws -> Int {
        let free = store.file.freePages()
        let excluded = visited.union(free.leaves).union(free.trunks)
        let shapes = store.shapes
        var writers: [String: TableWriter] = [:]
        for table in store.tables { writers[table.name] = TableWriter(table, database) }
        var count = 0
        for number in store.file.pageNumbers where !excluded.contains(number) {
            guard let page = store.file.page(number), let (header, offsets) = store.file.cells(page, number: number),
                page[header] == PageFile.leafType
            else { continue }
            for offset in offsets {
                guard let cell = store.file.leafCell(page, at: offset),
                    let shape = shapes.first(where: { $0.fits(cell.record) }), let writer = writers[shape.table]
                else { continue }
                if try writer.insert(cell) { count += 1 }
            }
        }
        return count
    }
}

/// Inserts rows into a table.
private final class TableWriter {
    private let table: DamagedStore.Table
    private let database: DoctorDatabase
    private var statement: SQLiteQuery?

    init(_ table: DamagedStore.Table, _ database: DoctorDatabase) {
        self.table = table
        self.database = database
    }

    /// Inserts a row, unless there is one with its key; returns whether it did.
    @discardableResult
    func insert(_ cell: LeafCell) throws -> Bool {
        if statement == nil { statement = try prepare() }
        guard let query = statement else { return false }
        query.reset()
        sqlite3_clear_bindings(query.statement)
        query.bind(cell.key, at: 1)
        for (index, value) in cell.record.values.prefix(table.columns.count).enumerated() where index != table.keyColumn
        {
            query.bind(value, at: index + 2)
        }
        let before = database.changeCount
        do throws(DoctorDatabase.Failure) {
            _ = try query.step()
        } catch {
            guard error.isConstraint else { throw error }
        }
        query.reset()
        return database.changeCount > before
    }

    private func prepare() throws -> SQLiteQuery {
        var columns = ["rowid"]
        var values = ["?1"]
        for (index, column) in table.columns.enumerated() where index != table.keyColumn {
            columns.append(SQLName.inQuotes(column.name))
            values.append("?\(index + 2)")
        }
        return try database.query(
            "INSERT OR IGNORE INTO \(SQLName.inQuotes(table.name)) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))")
    }
}

extension SQLiteQuery {
    fileprivate func bind(_ value: StoreContents.Value, at position: Int) {
        switch value {
        case .null: bindNull(at: position)
        case .integer(let number): bind(number, at: position)
        case .real(let number): bind(number, at: position)
        case .text(let bytes): bytes.withUnsafeBytes { bind(utf8: $0, at: position) }
        case .bytes(let bytes): bytes.withUnsafeBytes { bind($0, at: position) }
        }
    }
}
