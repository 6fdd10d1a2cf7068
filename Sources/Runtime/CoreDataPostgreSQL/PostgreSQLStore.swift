internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// A store in a schema of a PostgreSQL database (Documentation/Guides/PostgreSQL.md).
///
/// All its methods are called under the coordinator's lock. Rows that were read are cached in `RowCache` until the
/// context asks for newer ones; a save compares their versions with those in the database, so a row that another
/// program has changed is a conflict.
final class PostgreSQLStore: DatabaseStore, @unchecked Sendable {
    let environment: StoreEnvironment
    /// The options with which the store was added.
    private(set) lazy var settings = PostgreSQLSettings(options ?? [:])
    let connections = PostgreSQLConnections()
    let history = PostgreSQLHistory()
    let pins = PostgreSQLViews()
    /// Distinguishes this store's writes from those of other stores on the database.
    let instance = UUID().uuidString
    var listener: NotificationListener?
    /// Whether the listener has been connected before. Used on the queue of remote changes.
    var hasListened = false
    /// Whether the database has no such store yet.
    var isNew = false
    /// The numbers of entities in the database, by name; empty for a new store.
    var entityNumbers: [String: Int] = [:]
    private var loaded = LoadedSchema()
    /// The state that is derived from the model alone, used by fetches ahead without the coordinator's lock. Set when
    /// the store is opened.
    private(set) var fixed = LoadedSchema()
    /// The keys that were taken from a sequence but not assigned to an object yet, by the number of the root entity.
    var freeKeys: [Int: [Range<Int64>]] = [:]
    private var lastDrop: TimeInterval = 0

    /// The cached state of the database: entities, and rows that were read.
    final class LoadedSchema: @unchecked Sendable {
        fileprivate(set) var schema: PostgreSQLSchema?
        fileprivate(set) var fetchModel: FetchModel?
        fileprivate var entitiesByNumber: [PostgreSQLEntity?] = []
        fileprivate var entitiesByName: [String: PostgreSQLEntity] = [:]
        fileprivate var caches: [RowCache] = []
        fileprivate var readers: [[Int]: PostgreSQLRowReader] = [:]
        fileprivate var neighbors: [Int: RowNeighbors] = [:]

        func entity(_ layout: EntityLayout) -> PostgreSQLEntity? { entitiesByName[layout.name] }
    }

    var schema: PostgreSQLSchema? { loaded.schema }

    var fetchModel: FetchModel? { loaded.fetchModel }

    var neighbors: [Int: RowNeighbors] {
        get { loaded.neighbors }
        set { loaded.neighbors = newValue }
    }

    /// Replaces the cached state, for example with that of a past generation, and returns the previous one.
    func exchange(_ other: LoadedSchema) -> LoadedSchema {
        defer { loaded = other }
        return loaded
    }

    static let storeType = PostgreSQLSchema.storeType

    init(_ environment: StoreEnvironment) { self.environment = environment }

    /// The name of the schema in the database.
    private(set) lazy var namespace = settings.namespace(of: requestedConfiguration)

    // MARK: Access by the coordinator

    var traits: StoreTraits {
        [.loadsRowsInBatches, .excludesObjects, .remote, .executesBatches, .keepsGenerations, .hasExclusiveMembers]
    }

    func readingNewest<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = connections.readsMain
        connections.readsMain = true
        defer { connections.readsMain = outer }
        return try body()
    }

    func isSame(withConfiguration configuration: String?, options: [AnyHashable: Any]) -> Bool {
        namespace == PostgreSQLSettings(options).namespace(of: configuration)
    }

    func dropStaleRows(olderThan age: TimeInterval) throws {
        let now = ProcessInfo.processInfo.systemUptime
        guard age <= 0 || now - lastDrop >= age else { return }
        lastDrop = now
        evictRows()
    }

    func close() {
        listener?.stop()
        listener = nil
        pins.closeAll()
        evictRows()
        connections.close()
    }

    // MARK: Stores that are not open

    static func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try PostgreSQLDatabase(url, options).metadata()
    }

    static func setMetadata(_ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]) throws {
        try PostgreSQLDatabase(url, options).setMetadata(metadata)
    }

    static func storedModel(at store: StoreAddress) -> NSManagedObjectModel? { PostgreSQLDatabase(store).storedModel() }

    static func withMigrationLock(of request: MigrationRequest, _ body: () throws -> Void) throws {
        try PostgreSQLMigration.withLock(of: request, body)
    }

    static func migrateInPlace(_ request: MigrationRequest, from source: NSManagedObjectModel) throws -> Bool {
        try PostgreSQLMigration(request, from: source).run()
        return true
    }

    static func replaceContents(
        of request: MigrationRequest, writing write: (_ old: StoreAddress, _ new: StoreAddress) throws -> Void
    ) throws -> Bool {
        try PostgreSQLReplacement(request).run(write)
        return true
    }

    static func exists(_ store: StoreAddress) -> Bool? {
        let database = PostgreSQLDatabase(store)
        return (try? database.withOwnSession { try database.hasTable("_metadata", $0) }) ?? true
    }

    static func remove(_ store: StoreAddress) -> Bool {
        try? PostgreSQLDatabase(store).destroy()
        return true
    }

    static func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        try PostgreSQLDatabase(url, options).destroy()
    }

    static func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        try PostgreSQLDatabase(url, options).replace(with: PostgreSQLDatabase(source, sourceOptions))
    }

    // MARK: Access by the parts of the store

    /// Adopts the schema by which the database stores the model.
    func use(_ schema: PostgreSQLSchema, _ host: any StoreHost) {
        fixed = loadSchema(schema, host)
        loaded = loadSchema(schema, host)
        for entity in fixed.entitiesByName.values { _ = reader(below: entity, fixed) }
    }

    /// Returns a cached state without any rows.
    func loadSchema(_ schema: PostgreSQLSchema, _ host: any StoreHost) -> LoadedSchema {
        let loaded = LoadedSchema()
        var cachesByRoot: [Int: RowCache] = [:]
        for mapping in schema.entities {
            guard let layout = host.layout(named: mapping.name) else { continue }
            let cache = cachesByRoot[mapping.rootNumber] ?? RowCache()
            cachesByRoot[mapping.rootNumber] = cache
            let entity = PostgreSQLEntity(
                mapping: mapping, layout: layout, cache: cache, table: schema.qualified(mapping.table))
            while loaded.entitiesByNumber.count <= mapping.number { loaded.entitiesByNumber.append(nil) }
            loaded.entitiesByNumber[mapping.number] = entity
            loaded.entitiesByName[mapping.name] = entity
        }
        let dialect = PostgreSQLDialect(namespace: schema.name)
        loaded.fetchModel = FetchModel(
            mappings: schema.entities, layouts: loaded.entitiesByName.values.map(\.layout), dialect: dialect
        ) {
            [unowned self] id in
            guard case .number(let key) = id.reference, id.persistentStore?.identifier == identifier else { return nil }
            return key
        }
        loaded.schema = schema
        loaded.caches = Array(cachesByRoot.values)
        return loaded
    }

    /// Returns the entity with a number, or `nil` if there is none.
    func entity(number: Int) -> PostgreSQLEntity? {
        loaded.entitiesByNumber.indices.contains(number) ? loaded.entitiesByNumber[number] : nil
    }

    /// Returns the entity of a layout, or `nil` if the store's configuration does not contain it.
    func entity(_ layout: EntityLayout) -> PostgreSQLEntity? { loaded.entity(layout) }

    func id(_ key: Int64, _ entity: PostgreSQLEntity) -> NSManagedObjectID {
        NSManagedObjectID(key: key, layout: entity.layout, storeIdentity: storeIdentity)
    }

    /// Returns the reader for the rows of an entity and its descendants.
    func reader(below entity: PostgreSQLEntity) -> PostgreSQLRowReader { reader(below: entity, loaded) }

    /// Returns the reader for the rows of an entity and its descendants in a cached state.
    func reader(below entity: PostgreSQLEntity, _ loaded: LoadedSchema) -> PostgreSQLRowReader {
        let numbers = entity.mapping.numbers
        if let reader = loaded.readers[numbers], loaded === fixed || reader.storeIdentity === storeIdentity {
            return reader
        }
        let entities = numbers.compactMap {
            loaded.entitiesByNumber.indices.contains($0) ? loaded.entitiesByNumber[$0] : nil
        }
        let reader = PostgreSQLRowReader(entities, self)
        loaded.readers[numbers] = reader
        return reader
    }

    /// Returns the reader for all rows of an entity's table.
    func rootReader(of entity: PostgreSQLEntity) -> PostgreSQLRowReader {
        reader(below: self.entity(number: entity.mapping.rootNumber) ?? entity)
    }

    /// Clears the row caches.
    func evictRows() {
        for cache in loaded.caches { cache.removeAll() }
        neighbors = [:]
    }

    /// Runs a block, and converts server errors to Core Data errors.
    func reporting<Result>(
        _ code: CocoaError.Code, what: @autoclosure () -> String, body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let failure as PostgreSQLError {
            throw failure.cocoaError(code, what())
        }
    }
}
