internal import Foundation
internal import RuntimeSupport

/// A store in a SQLite file in Apple's format (Documentation/Formats/SQLiteStore.md).
///
/// All methods are called under the coordinator's lock. Rows that were read are cached (`RowCache`); a change by
/// another connection, in this process or another, is detected when the next fetch or save begins, and clears the
/// caches.
final class SQLiteStore: DatabaseStore, @unchecked Sendable {
    static let storeType = NSSQLiteStoreType

    let environment: StoreEnvironment
    let settings: SQLiteOptions
    /// The connection that reads the metadata before the store is opened.
    var inspection: SQLiteConnection?
    /// Nil before the store was opened and after it was removed.
    @exclusivity(unchecked) var openConnection: SQLiteConnection?
    /// Whether the file is still empty.
    var isNew = false
    // Saves look up the entity of every object, for which a check for exclusive access would take longer.
    @exclusivity(unchecked) private var loaded = LoadedSchema()
    let triggerFunctions = TriggerFunctions()
    let history = StoreHistory()
    let pins = PinnedViews()
    private(set) lazy var external = makeExternalStorage()
    var neighbors: [Int: RowNeighbors] = [:]
    /// The connection's data version as of the cached state.
    private var dataVersion: Int64 = 0
    /// The file when its version was checked last.
    private var checkedVersion = FileVersion()
    /// Why the store cannot be used anymore: another connection has migrated the file.
    private var migration: NSError?
    /// The time of the last check for changes by other connections, in seconds since the system started.
    private var lastCheck: TimeInterval = 0

    /// The state that is derived from the model and the file.
    fileprivate struct LoadedSchema {
        var schema: StoreSchema?
        var fetchModel: FetchModel?
        var entitiesByNumber: [StoredEntity?] = []
        var entitiesByLayout: [ObjectIdentifier: StoredEntity] = [:]
        var entitiesByName: [String: StoredEntity] = [:]
        var caches: [RowCache] = []
        var readers: [[Int]: RowReader] = [:]
        /// The most recently looked up entity.
        var lastEntity: StoredEntity?
    }

    init(_ environment: StoreEnvironment) {
        self.environment = environment
        settings = SQLiteOptions(environment.options ?? [:])
        file = SQLiteFile(environment.url ?? URL(fileURLWithPath: "/dev/null"))
        let traits: StoreTraits = [
            .loadsRowsInBatches, .excludesObjects, .executesBatches, .keepsGenerations, .hasExclusiveMembers,
        ]
        self.traits = file.isInMemory ? traits.union(.inMemory) : traits
    }

    var fileURL: URL { url ?? URL(fileURLWithPath: "/dev/null") }

    /// The database of the store.
    private(set) var file: SQLiteFile

    // MARK: Access by the coordinator

    let traits: StoreTraits

    func lastKey(_ layout: EntityLayout) throws -> Int64? {
        guard let root = entity(layout)?.mapping.rootNumber else { return nil }
        return try reserveKeys(0, root: root, connection: connection()) - 1
    }

    func relocate(to url: URL) -> Bool {
        let isSame = try? SQLiteFile(url).inspect(settings).flatMap { try SQLiteMetadata($0) }?.uuid == identifier
        guard url.isFileURL, isSame == true, !file.isInMemory, let old = self.url else { return false }
        let unsavedMetadata = hasUnsavedMetadata ? metadata : nil
        defer {
            if let unsavedMetadata { metadata = unsavedMetadata }
            hasUnsavedMetadata = unsavedMetadata != nil
        }
        if reopen(at: url) { return true }
        _ = reopen(at: old)
        return false
    }

    private func reopen(at url: URL) -> Bool {
        close()
        loaded = LoadedSchema()
        dataVersion = 0
        migration = nil
        self.url = url
        file = SQLiteFile(url)
        external = makeExternalStorage()
        do {
            try loadMetadata()
            try loadContents()
            return true
        } catch {
            Log.error("the store at \(url.path) cannot be opened: \(error)")
            return false
        }
    }

    private func makeExternalStorage() -> ExternalStorage {
        ExternalStorage(file, settings)
    }

    func close() {
        RemoteChanges.shared.remove(self)
        pins.closeAll()
        if let openConnection { try? external.droppedFiles.removeUnused(openConnection) }
        evictRows()
        openConnection?.close()
        openConnection = nil
    }

    // MARK: Stores that are not open

    static func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try SQLiteFile(url).metadata(options)
    }

    static func setMetadata(_ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]) throws {
        try SQLiteFile(url).setMetadata(metadata, options)
    }

    static func storedModel(at store: StoreAddress) -> NSManagedObjectModel? {
        (try? SQLiteFile(store.url).inspect(SQLiteOptions(store.options ?? [:]))).flatMap(StoredModel.read)
    }

    static func migrateInPlace(_ request: MigrationRequest, from source: NSManagedObjectModel) throws -> Bool {
        try InPlaceMigration(request, from: source).run()
        return true
    }

    static func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        try StoreFiles(SQLiteFile(url), options).destroy()
    }

    static func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        try StoreFiles(SQLiteFile(url), options).replace(with: SQLiteFile(source))
    }

    // MARK: Access by the parts of the store

    /// Returns the connection. Throws an error after the store was removed, or migrated by another connection.
    func connection() throws -> SQLiteConnection {
        if let migration { throw migration }
        if let openConnection { return openConnection.isOutdated ? try reconnect() : openConnection }
        throw CoreDataError.error(
            .persistentStoreOperation, text: "the store at \(fileURL.path) is not open",
            userInfo: [NSURLErrorKey: fileURL])
    }

    /// Opens the file again: another connection has written to it although it was opened as immutable.
    private func reconnect() throws -> SQLiteConnection {
        let connection = try connect()
        // No connection has this version, so the next check clears the caches.
        dataVersion = -1
        return connection
    }

    /// The schema by which the file stores the model; `nil` until the store is open.
    var schema: StoreSchema? { loaded.schema }

    /// The schema of the file, for fetches; `nil` until the store is open.
    var fetchModel: FetchModel? { loaded.fetchModel }

    /// Records the version of the file that the store has read.
    func recordVersion(_ connection: SQLiteConnection) throws { checkedVersion = try FileVersion(connection) }

    /// Adopts the schema by which the file stores the model.
    func use(_ schema: StoreSchema, _ host: any StoreHost) {
        var caches: [Int: RowCache] = [:]
        for mapping in schema.entities {
            guard let layout = host.layout(named: mapping.name) else { continue }
            let cache = caches[mapping.rootNumber] ?? RowCache()
            caches[mapping.rootNumber] = cache
            let entity = StoredEntity(mapping: mapping, layout: layout, cache: cache, external: external)
            while loaded.entitiesByNumber.count <= mapping.number { loaded.entitiesByNumber.append(nil) }
            loaded.entitiesByNumber[mapping.number] = entity
            loaded.entitiesByLayout[ObjectIdentifier(layout)] = entity
            loaded.entitiesByName[mapping.name] = entity
        }
        loaded.fetchModel = FetchModel(schema, loaded.entitiesByName.values.map(\.layout)) { [unowned self] id in
            guard case .number(let key) = id.reference, id.persistentStore?.identifier == identifier else { return nil }
            return key
        }
        loaded.schema = schema
        loaded.caches = Array(caches.values)
    }

    /// A connection, and the cached state of the file as read through it.
    struct ReadState {
        var connection: SQLiteConnection?
        fileprivate var loaded = LoadedSchema()
        fileprivate var neighbors: [Int: RowNeighbors] = [:]
        fileprivate var dataVersion: Int64 = 0
        fileprivate var checkedVersion = FileVersion()
        fileprivate var lastCheck: TimeInterval = 0

        init(_ connection: SQLiteConnection) {
            self.connection = connection
        }
    }

    /// Replaces the connection and its cached state.
    func exchange(_ state: inout ReadState) {
        swap(&openConnection, &state.connection)
        swap(&loaded, &state.loaded)
        swap(&neighbors, &state.neighbors)
        swap(&dataVersion, &state.dataVersion)
        swap(&checkedVersion, &state.checkedVersion)
        swap(&lastCheck, &state.lastCheck)
    }

    /// Returns the entity with a number, or `nil` if there is none.
    func entity(number: Int) -> StoredEntity? {
        loaded.entitiesByNumber.indices.contains(number) ? loaded.entitiesByNumber[number] : nil
    }

    /// Returns the entity of a layout, or `nil` if the store's configuration does not contain it.
    func entity(_ layout: EntityLayout) -> StoredEntity? {
        if let last = loaded.lastEntity, last.layout === layout { return last }
        let found = loaded.entitiesByLayout[ObjectIdentifier(layout)] ?? loaded.entitiesByName[layout.name]
        loaded.lastEntity = found
        return found
    }

    /// Returns the entity with a name, or `nil` if the store's configuration does not contain it.
    func entity(named name: String) -> StoredEntity? { loaded.entitiesByName[name] }

    func entity(of id: NSManagedObjectID) -> StoredEntity? {
        entity(id.layout)
    }

    func id(_ key: Int64, _ entity: StoredEntity) -> NSManagedObjectID {
        NSManagedObjectID(key: key, layout: entity.layout, storeIdentity: storeIdentity)
    }

    /// Returns the reader for the rows of entities in one table.
    func reader(for entities: [StoredEntity]) -> RowReader {
        let numbers = entities.map(\.number)
        if let reader = loaded.readers[numbers], reader.storeIdentity === storeIdentity { return reader }
        let reader = RowReader(entities, self)
        loaded.readers[numbers] = reader
        return reader
    }

    /// Returns the reader for the rows of an entity and its descendants.
    func reader(below entity: StoredEntity) -> RowReader {
        reader(for: entity.mapping.numbers.compactMap { self.entity(number: $0) })
    }

    /// Clears the caches if another connection has written to the file, and returns whether one has.
    ///
    /// - Throws: An error with the code 134100 if the file now belongs to another version of the model, 134070 if it
    ///   was replaced.
    @discardableResult
    final func invalidateIfChanged(_ connection: SQLiteConnection) throws -> Bool {
        let version = try connection.dataVersion()
        lastCheck = ProcessInfo.processInfo.systemUptime
        try checkIdentity(connection, version)
        guard version != dataVersion else { return false }
        if dataVersion != 0 { othersDidWrite(connection) }
        dataVersion = version
        evictRows()
        return true
    }

    /// Returns whether another connection has written to the file since `invalidateIfChanged(_:)` was called last, or
    /// it was never called.
    final func hasExternalChanges(_ connection: SQLiteConnection) throws -> Bool {
        lastCheck = ProcessInfo.processInfo.systemUptime
        let version = try connection.dataVersion()
        try checkIdentity(connection, version)
        return version != dataVersion
    }

    /// Checks, without clearing caches, that the file is still the one that was opened.
    final func checkIdentity(_ connection: SQLiteConnection) throws {
        try checkIdentity(connection, connection.dataVersion())
    }

    private func checkIdentity(_ connection: SQLiteConnection, _ version: Int64) throws {
        if version != dataVersion, dataVersion != 0 { try checkVersion(connection) }
        try checkIsInPlace(connection)
        connection.checkedVersion = connection.pagerVersion
    }

    /// Throws an error if the file was replaced.
    final func checkIsInPlace(_ connection: SQLiteConnection) throws {
        guard dataVersion != 0, connection.isReplaced else { return }
        throw CoreDataError.error(
            .persistentStoreOperation,
            text:
                "the store at \(fileURL.path) was replaced while it was open: remove it from the coordinator, and add it again",
            userInfo: [NSURLErrorKey: fileURL])
    }

    /// Throws an error if another coordinator or process has migrated the file. From then on, the store cannot be used.
    private func checkVersion(_ connection: SQLiteConnection) throws {
        let version = try FileVersion(connection)
        guard version != checkedVersion else { return }
        guard let stored = try SQLiteMetadata(connection),
            StoreMetadata.entityHashes(in: stored.values) == StoreMetadata.entityHashes(in: metadata),
            version.schema == checkedVersion.schema || stored.uuid == identifier || hasUnsavedMetadata
        else {
            migration = CoreDataError.migratedElsewhere(fileURL)
            evictRows()
            _ = try self.connection()
            return
        }
        checkedVersion = version
    }

    func dropStaleRows(olderThan age: TimeInterval) throws {
        guard let openConnection, age <= 0 || ProcessInfo.processInfo.systemUptime - lastCheck >= age else { return }
        try reporting(.coreData, what: "the store at \(fileURL.path) cannot be read") {
            _ = try invalidateIfChanged(openConnection)
        }
    }

    /// Clears the row caches.
    func evictRows() {
        for cache in loaded.caches { cache.removeAll() }
        neighbors = [:]
    }

    /// Drops a row from the cache.
    func evictRow(_ affected: TriggerFunctions.Affected) {
        for entity in loaded.entitiesByNumber {
            guard let entity, entity.mapping.table == affected.table else { continue }
            entity.cache[affected.key] = nil
            return
        }
    }

    /// Runs a block, and converts SQLite errors to Core Data errors.
    func reporting<Result>(_ code: CocoaError.Code, what: @autoclosure () -> String, body: () throws -> Result)
        throws
        -> Result
    {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isDamage ? .fileReadCorruptFile : code, what(), at: fileURL)
        }
    }
}
