internal import CompiledModel
internal import CoreData
internal import Diagnostics
internal import StoreFile

/// A store that is being checked: what was read of it, and what was found.
final class StoreExamination {
    struct Table {
        let name: String
        private(set) var columns: [Column] = []
        /// The keys of the columns' names.
        private var keys: Set<String> = []

        init(name: String) { self.name = name }

        struct Column {
            var name: String
            var type: String
            /// The position in the primary key, from 1; 0 for other columns.
            var key: Int
        }

        func has(_ column: String) -> Bool { keys.contains(SQLName.key(column)) }

        /// Returns a column's name as the file spells it.
        func columnName(_ name: String) -> String {
            guard has(name) else { return name }
            let key = SQLName.key(name)
            return columns.first { SQLName.key($0.name) == key }?.name ?? name
        }

        mutating func add(_ column: Column) {
            columns.append(column)
            keys.insert(SQLName.key(column.name))
        }
    }

    /// A row of `Z_PRIMARYKEY`.
    struct EntityRow {
        var number: Int64
        var name: String
        var parent: Int64?
        /// The last key; `nil` if it is not an integer.
        var max: Int64?
        /// The last key for messages.
        var shownMax: String { max.map(String.init) ?? "not an integer" }
    }

    /// The last key in a row of `Z_PRIMARYKEY`, as an expression: 0 if it is not an integer, which would be greater
    /// than all keys.
    static let lastKey = "CASE WHEN typeof(Z_MAX) = 'integer' THEN Z_MAX ELSE 0 END"

    let database: DoctorDatabase
    let file: StoreFileStatus
    let external: ExternalFileList
    let options: StoreDoctor.Options
    /// The tables of the file, by the key of their name.
    private(set) var tables: [String: Table] = [:]
    /// The rows of `Z_PRIMARYKEY`.
    private(set) var entityRows: [EntityRow] = []
    private(set) var metadata = StoreMetadataRow()
    /// The model; `nil` if there is none.
    private(set) var model: NSManagedObjectModel?
    /// The locations of the model in the file; `nil` if there is no model.
    private(set) var layout: StoreLayout?
    /// The reason why there is no layout.
    private(set) var missingModel: String?
    /// Whether the model was given, rather than read from the store.
    let isModelGiven: Bool
    /// The number of rows by entity name, as far as they were counted.
    var rowCounts: [String: Int64] = [:]
    var checkedRows: Int64 = 0
    var findings: [StoreFinding] = []
    /// The external files that no row refers to, if they were checked.
    var orphanedFiles: Set<String> = []
    private var isDamageRecorded = false

    /// Reads the store's description of itself.
    init(
        database: DoctorDatabase, file: StoreFileStatus, external: ExternalFileList, options: StoreDoctor.Options,
        model: NSManagedObjectModel?
    ) throws(DoctorDatabase.Failure) {
        self.database = database
        self.file = file
        self.external = external
        self.options = options
        isModelGiven = model != nil
        var tables: [String: Table] = [:]
        try database.forEach(
            """
            SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND (m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' \
            OR m.sql LIKE '%USING rtree%' AND EXISTS (SELECT 1 FROM pragma_module_list WHERE name = 'rtree'))
            """
        ) { row in
            let name = row.text(0)
            tables[SQLName.key(name), default: Table(name: name)].add(
                Table.Column(name: row.text(1), type: row.text(2), key: Int(row.integer(3) ?? 0)))
        }
        // Virtual tables of modules that SQLite does not have.
        try database.forEach("SELECT name FROM sqlite_master WHERE type = 'table'") { row in
            let name = row.text(0)
            if tables[SQLName.key(name)] == nil { tables[SQLName.key(name)] = Table(name: name) }
        }
        self.tables = tables
        if hasEntityRows {
            var rows: [EntityRow] = []
            try database.forEach("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") { row in
                rows.append(
                    EntityRow(
                        number: row.integer(0) ?? 0, name: row.text(1), parent: row.integer(2),
                        max: row.isInteger(3) ? row.integer(3) : nil))
            }
            entityRows = rows
        }
        metadata = try StoreMetadataRow(database, hasTable: has("Z_METADATA", "Z_UUID", "Z_PLIST"))
        try readModel(model)
    }

    /// Whether the table of entities can be read.
    var hasEntityRows: Bool {
        has("Z_PRIMARYKEY", "Z_ENT", "Z_NAME") && has("Z_PRIMARYKEY", "Z_SUPER", "Z_MAX")
    }

    /// Whether Core Data has created the database.
    var isStore: Bool { table("Z_METADATA") != nil || table("Z_PRIMARYKEY") != nil }

    private func readModel(_ given: NSManagedObjectModel?) throws(DoctorDatabase.Failure) {
        var cached = CachedModel.none
        if given == nil || options.includes(.modelMismatch) || options.includes(.modelCacheUnreadable) {
            cached = try CachedModel.read(database, hasTable: has("Z_MODELCACHE", "Z_CONTENT"))
        }
        recordCachedModel(cached)
        guard let model = given ?? cached.model else {
            missingModel =
                switch cached {
                case .unreadable: "the model in the store cannot be read"
                default: "the store does not contain its model"
                }
            return
        }
        self.model = model
        do throws(StoreLayout.Failure) {
            layout = try StoreLayout(
                of: model, entities: metadata.entityNames(in: model),
                tables: tables.values.map { StoreLayout.Table(name: $0.name, columns: $0.columns.map(\.name)) },
                numbers: StoreLayout.numbers(entityRows.map { ($0.name, $0.number) }))
        } catch {
            missingModel = "the model cannot be kept in a SQLite store: \(error.description)"
        }
    }

    private func recordCachedModel(_ cached: CachedModel) {
        switch cached {
        case .none: break
        case .unreadable(let reason):
            record(
                StoreFinding(.modelCacheUnreadable, "the cached model cannot be read: \(reason)")
            )
        case .model(let model):
            guard let hashes = metadata.hashes else { break }
            // Computed for all entities at each access.
            let cachedHashes = model.entityVersionHashesByName
            let names = hashes.keys.filter { cachedHashes[$0].map { [UInt8]($0) } != hashes[$0] }.sorted()
            guard let first = names.first else { break }
            record(
                StoreFinding(
                    .modelMismatch,
                    "the hash\(names.count == 1 ? "" : "es") of \(names.count) "
                        + "entit\(names.count == 1 ? "y" : "ies") in the metadata "
                        + "differ\(names.count == 1 ? "s" : "") from the cached model: “\(first)”"
                        + (names.count > 1 ? " and others" : "")))
        }
    }

    /// The model in the store as a compiled model; `nil` if there is none, or another was given.
    var cachedModelArchive: [UInt8]? {
        guard !isModelGiven, has("Z_MODELCACHE", "Z_CONTENT"),
            let query = try? database.query("SELECT Z_CONTENT FROM Z_MODELCACHE"), (try? query.step()) == true
        else { return nil }
        return ModelCache.archive(in: query.bytes(0))
    }

    // MARK: Lookups

    func table(_ name: String) -> Table? { tables[SQLName.key(name)] }

    /// Returns whether the file has a table with some columns.
    func has(_ name: String, _ columns: String...) -> Bool {
        guard let table = table(name) else { return false }
        return columns.allSatisfy { table.has($0) }
    }

    /// Whether the file has all tables and columns of the model.
    func isComplete(_ layout: StoreLayout) -> Bool { missingPart(of: layout) == nil }

    /// Returns the first table or column of the model that the file lacks, for messages; `nil` if there is none.
    func missingPart(of layout: StoreLayout) -> String? {
        for table in layout.tables {
            guard let found = self.table(table.name) else { return "the table \(table.name)" }
            if let column = table.columns.first(where: { !found.has($0.name) }) {
                return "the column \(table.name).\(column.name)"
            }
        }
        return nil
    }

    func uri(_ key: Int64, entity: String) -> String {
        "x-coredata://\(metadata.uuid.isEmpty ? "?" : metadata.uuid)/\(entity)/p\(key)"
    }

    func entityName(_ number: Int64?) -> String? {
        guard let number else { return nil }
        if let name = Int(exactly: number).flatMap({ layout?.entity(number: $0)?.name }) { return name }
        return entityRows.first { $0.number == number }?.name
    }

    /// The numbers of the hierarchy of each table, by the key of its name.
    private lazy var hierarchies: [String: [Int]] = Dictionary(
        (layout?.entities ?? []).filter(\.isRoot).map { (SQLName.key($0.table), $0.numbers) }
    ) { first, _ in first }

    /// Returns the entity of a row of a table; `nil` if the row has the number of another hierarchy.
    func entityName(_ number: Int64?, in table: String) -> String? {
        guard layout != nil, let number else { return entityName(number) }
        let numbers = hierarchies[SQLName.key(table)] ?? []
        return numbers.contains { Int64($0) == number } ? entityName(number) : nil
    }

    // MARK: Findings

    /// Adds a finding if its rule is requested.
    func record(_ finding: StoreFinding) {
        if options.includes(finding.rule) { findings.append(finding) }
    }

    /// Runs checks. Damage that SQLite meets is a finding, and ends them.
    func attempt(_ checks: () throws(DoctorDatabase.Failure) -> Void) throws(StoreDoctor.Failure) {
        do throws(DoctorDatabase.Failure) {
            try checks()
        } catch {
            guard error.isDamage else { throw StoreDoctor.failure(error) }
            recordDamage(error.message)
        }
    }

    /// Adds the finding of damage, once.
    func recordDamage(_ message: String, count: Int = 1) {
        guard !isDamageRecorded else { return }
        isDamageRecorded = true
        // Checks have ended early, so this is reported whatever rules are requested.
        findings.append(
            StoreFinding(.damagedPage, "the database is damaged: \(message)", rows: AffectedRows(count: count)))
    }

    /// Checks everything.
    func run() throws(StoreDoctor.Failure) {
        try attempt { () throws(DoctorDatabase.Failure) in try checkFile() }
        checkDescription()
        try attempt { () throws(DoctorDatabase.Failure) in try checkEntityRows() }
        try attempt { () throws(DoctorDatabase.Failure) in try checkSpatialIndexes() }
        try attempt { () throws(DoctorDatabase.Failure) in try checkHistory() }
        if let layout {
            try attempt { () throws(DoctorDatabase.Failure) in try checkSchema(layout) }
            for root in layout.entities where root.isRoot {
                try attempt { () throws(DoctorDatabase.Failure) in try checkRows(root, layout) }
            }
            try attempt { () throws(DoctorDatabase.Failure) in try checkJoins(layout) }
            for entity in layout.entities {
                try attempt { () throws(DoctorDatabase.Failure) in try checkMembers(of: entity, layout) }
                try attempt { () throws(DoctorDatabase.Failure) in try checkConstraints(of: entity) }
            }
            try attempt { () throws(DoctorDatabase.Failure) in try checkDerived(layout) }
            try attempt { () throws(DoctorDatabase.Failure) in try checkExternalFiles(layout) }
            try attempt { () throws(DoctorDatabase.Failure) in try checkObjectsOfHistory(layout) }
            try attempt { () throws(DoctorDatabase.Failure) in try checkOwners(layout) }
            try attempt { () throws(DoctorDatabase.Failure) in try checkDuplicates(layout) }
        }
    }
}
