internal import CompiledModel
internal import Foundation
internal import ModelSchema
internal import StoreFile

/// A store in a SQLite file of Apple's format (core-data-runtime.md, 3.1).
///
/// All its methods are called under the coordinator's lock. What the file holds is known here as far as it was read (`RowCache`);
/// a change by another connection, in this process or another, is noticed when the next fetch or save begins, and everything
/// known is forgotten then.
final class SQLiteStore: NSPersistentStore, @unchecked Sendable {
    let settings: SQLiteOptions
    private var opened: SQLiteConnection?
    private var isNew = false
    private var known = Known()
    let triggerFunctions = TriggerFunctions()
    private(set) lazy var external = ExternalStorage(store: fileURL, isReadOnly: isReadOnly)
    var neighbours: [Int: RowNeighbours] = [:]
    private var dataVersion: Int64 = 0

    /// What follows from the model and the file.
    private struct Known {
        var schema: StoreSchema?
        var entitiesByNumber: [StoredEntity?] = []
        var entitiesByLayout: [ObjectIdentifier: StoredEntity] = [:]
        var entitiesByName: [String: StoredEntity] = [:]
        var caches: [RowCache] = []
        var readers: [[Int]: RowReader] = [:]
    }

    required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        settings = SQLiteOptions(options ?? [:])
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { NSSQLiteStoreType }

    var fileURL: URL { url ?? URL(fileURLWithPath: "/dev/null") }

    // MARK: Opening

    override func loadMetadata() throws {
        guard fileURL.isFileURL else {
            throw CoreDataError.error(
                .persistentStoreOpen, "the store is in no file: \(fileURL.absoluteString)", [NSURLErrorKey: fileURL])
        }
        try reporting(.persistentStoreOpen, "the store at \(fileURL.path) cannot be opened") {
            let connection = try SQLiteFile(fileURL).open(isReadOnly: isReadOnly, settings)
            if connection.isReadOnly, !isReadOnly {
                Log.error(
                    "Attempt to add read-only file at path \(fileURL.path) read/write. Adding it read-only instead. "
                        + "Set NSReadOnlyPersistentStoreOption for it.")
                isReadOnly = true
            }
            opened = connection
            try triggerFunctions.register(on: connection)
            try readMetadata(connection)
        }
    }

    /// Reads the metadata, or finds that there is no store in the file yet.
    private func readMetadata(_ connection: SQLiteConnection) throws {
        if let stored = try SQLiteMetadata(connection) {
            identifier = stored.uuid
            metadata = stored.all
            isNew = false
            return
        }
        guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
            throw CoreDataError.error(
                .persistentStoreIncompatibleSchema,
                "the database at \(fileURL.path) was not made by Core Data: it has no table Z_METADATA",
                [NSURLErrorKey: fileURL])
        }
        guard !isReadOnly else {
            throw CoreDataError.error(
                .persistentStoreOpen, "there is no store at \(fileURL.path), and a read-only one cannot be made",
                [NSURLErrorKey: fileURL])
        }
        metadata = [:]
        isNew = true
    }

    override func loadContents() throws {
        try reporting(.persistentStoreOpen, "the store at \(fileURL.path) cannot be opened") {
            let connection = try connection()
            guard let coordinator = persistentStoreCoordinator else { return }
            let model = coordinator.managedObjectModel
            if isNew {
                try connection.transaction(.exclusive) {
                    // Another process may have been faster.
                    if try SQLiteMetadata(connection) == nil { try create(model, coordinator) }
                }
                try readMetadata(connection)
                try coordinator.checkVersion(of: self, options)
            }
            let schema = try makeSchema(model, coordinator, isNew: false)
            use(schema, coordinator)
            try settings.maintain(connection)
            dataVersion = try connection.dataVersion()
        }
    }

    /// Makes tables, metadata and the cached model of a new store.
    private func create(_ model: NSManagedObjectModel, _ coordinator: NSPersistentStoreCoordinator) throws {
        let connection = try connection()
        for statement in try makeSchema(model, coordinator, isNew: true).statements { try connection.execute(statement) }
        try SQLiteMetadata(metadata ?? [:], uuid: identifier).write(to: connection)
        try writeModelCache(model, connection)
    }

    private func makeSchema(
        _ model: NSManagedObjectModel, _ coordinator: NSPersistentStoreCoordinator, isNew: Bool
    ) throws -> StoreSchema {
        let entities = model.entities(forConfigurationName: requestedConfiguration) ?? []
        let layouts = entities.compactMap(coordinator.layout(for:))
        fatalError()
    }

    private func use(_ schema: StoreSchema, _ coordinator: NSPersistentStoreCoordinator) {
        var caches: [Int: RowCache] = [:]
        for mapping in schema.entities {
            guard let layout = coordinator.layout(named: mapping.name) else { continue }
            let cache = caches[mapping.rootNumber] ?? RowCache()
            caches[mapping.rootNumber] = cache
            let entity = StoredEntity(mapping, layout, cache, external)
            while known.entitiesByNumber.count <= mapping.number { known.entitiesByNumber.append(nil) }
            known.entitiesByNumber[mapping.number] = entity
            known.entitiesByLayout[ObjectIdentifier(layout)] = entity
            known.entitiesByName[mapping.name] = entity
        }
        known.schema = schema
        known.caches = Array(caches.values)
    }

    /// Writes the model into the file, so that a later version of the program can tell what it was.
    private func writeModelCache(_ model: NSManagedObjectModel, _ connection: SQLiteConnection) throws {
        // A model that has no compiled form makes a store all the same; Apple's framework does without one too.
        guard let archive = try? EncodedModel(SchemaConverter.schema(of: model)).bytes,
            let content = ModelCache.content(of: archive)
        else { return }
        let statement = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        statement.bind(content, at: 1)
        try statement.run()
        statement.clear()
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        opened?.close()
        opened = nil
    }

    // MARK: What the parts of the store use

    /// The connection; an error after the store was removed.
    func connection() throws -> SQLiteConnection {
        if let opened { return opened }
        throw CoreDataError.error(
            .persistentStoreOperation, "the store at \(fileURL.path) is not open", [NSURLErrorKey: fileURL])
    }

    /// How the model is kept in the file; nil until the store is open.
    var schema: StoreSchema? { known.schema }

    /// The entity with a number; nil for none.
    func entity(number: Int) -> StoredEntity? {
        known.entitiesByNumber.indices.contains(number) ? known.entitiesByNumber[number] : nil
    }

    /// The entity of a layout; nil when the store's configuration does not have it.
    func entity(_ layout: EntityLayout) -> StoredEntity? {
        known.entitiesByLayout[ObjectIdentifier(layout)] ?? known.entitiesByName[layout.name]
    }

    /// The entity of an ID.
    func entity(of id: NSManagedObjectID) -> StoredEntity? {
        id.entity.name.flatMap { known.entitiesByName[$0] }
    }

    /// The ID of a row.
    func id(_ key: Int64, _ entity: StoredEntity) -> NSManagedObjectID {
        NSManagedObjectID(.number(key), entity: entity.layout.entity, store: self)
    }

    /// The reader for the rows of some entities of one table.
    func reader(for entities: [StoredEntity]) -> RowReader {
        let numbers = entities.map(\.number)
        if let reader = known.readers[numbers] { return reader }
        let reader = RowReader(entities, self)
        known.readers[numbers] = reader
        return reader
    }

    /// The reader for an entity's rows and those of all that inherit from it.
    func reader(below entity: StoredEntity) -> RowReader {
        reader(for: entity.mapping.numbers.compactMap { self.entity(number: $0) })
    }

    /// Forgets all rows if others have written to the file.
    func notice(_ connection: SQLiteConnection) throws {
        let version = try connection.dataVersion()
        guard version != dataVersion else { return }
        dataVersion = version
        forgetRows()
    }

    /// Forgets all rows.
    func forgetRows() {
        for cache in known.caches { cache.removeAll() }
        neighbours = [:]
    }

    /// Forgets a row.
    func forgetRow(_ affected: TriggerFunctions.Affected) {
        for entity in known.entitiesByNumber {
            guard let entity, entity.mapping.table == affected.table else { continue }
            entity.cache[affected.key] = nil
            return
        }
    }

    /// Runs a block, and makes Core Data's errors of SQLite's.
    func reporting<Result>(_ code: CocoaError.Code, _ what: @autoclosure () -> String, _ body: () throws -> Result) throws
        -> Result
    {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isDamage ? .fileReadCorruptFile : code, what(), at: fileURL)
        }
    }
}
