public import Foundation
internal import RuntimeSupport

/// The mediator between contexts and stores. Holds the model, and knows which store holds which object.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(
///     ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/tmp/Books.sqlite"), options: nil)
/// context.persistentStoreCoordinator = coordinator
/// ```
///
/// Thread-safe: calls are serialized.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    private let model: NSManagedObjectModel

    /// The coordinator's model, which must no longer be changed.
    open var managedObjectModel: NSManagedObjectModel { model }
    /// The name, for debugging.
    open var name: String? {
        get { lock.withLock { label } }
        set { lock.withLock { label = newValue } }
    }

    private var label: String?
    final var stores: [NSPersistentStore] = []
    /// The identities of the stores that are or were open, by UUID. Guarded by the lock.
    final var knownIdentities: [String: StoreIdentity] = [:]
    private let layoutsByEntity: [ObjectIdentifier: EntityLayout]
    private let layoutsByName: [String: EntityLayout]
    final var contexts: [WeakContext] = []
    let lock = CoordinatorLock()
    private let queue = DispatchQueue(label: "CoreData.coordinator")

    /// The context on whose behalf a store is being called, for stores whose public interface takes it. Guarded by the
    /// lock.
    private(set) final var requestingContext: NSManagedObjectContext?

    /// Runs a block that calls stores on behalf of a context. Called under the lock.
    final func performingRequest<Result>(for context: NSManagedObjectContext, _ body: () throws -> Result) rethrows
        -> Result
    {
        let outer = requestingContext
        requestingContext = context
        defer { requestingContext = outer }
        return try body()
    }

    /// Creates a coordinator. Changes to the model trap afterwards.
    public init(managedObjectModel model: NSManagedObjectModel) {
        self.model = model
        model.makeImmutable()
        let layouts = model.entities.map { $0.objectLayout() }
        layoutsByEntity = Dictionary(layouts.map { (ObjectIdentifier($0.entity), $0) }) { first, _ in first }
        layoutsByName = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
        super.init()
        ManagedObjectClasses.register(model)
    }

    /// Traps: a coordinator needs a model. Apple's class inherits the initializer and raises an exception.
    public convenience override init() {
        misuse("NSInvalidArgumentException", "Cannot create an NSPersistentStoreCoordinator with a nil model")
    }

    /// Returns the layout of an entity of the model, or of one with the same name and version hash.
    final func layout(for entity: NSEntityDescription) -> EntityLayout? {
        if let layout = layoutsByEntity[ObjectIdentifier(entity)] { return layout }
        guard let layout = entity.name.flatMap({ layoutsByName[$0] }), layout.entity.versionHash == entity.versionHash
        else { return nil }
        return layout
    }

    final var allLayouts: [EntityLayout] { Array(layoutsByEntity.values) }

    package final func layout(named name: String) -> EntityLayout? { layoutsByName[name] }

    /// Returns the layouts of an entity and, if requested, its subentities.
    final func layouts(below layout: EntityLayout, includesSubentities: Bool) -> [EntityLayout] {
        guard includesSubentities else { return [layout] }
        var result: [EntityLayout] = []
        var waiting = [layout.entity]
        while let entity = waiting.popLast() {
            if let layout = layoutsByEntity[ObjectIdentifier(entity)] { result.append(layout) }
            waiting += entity.subentities
        }
        return result
    }

    // MARK: Stores

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    /// Returns the store at a URL, or `nil`. Also accepts the URL without the password, as it appears in errors and
    /// notifications.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url == URL || $0.url.map(Redaction.url) == URL }
    }

    /// Returns the URL of a store.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Continues to use a store at the location to which it was moved.
    ///
    /// An atomic store is written there by the next save. A SQLite store is opened there: it must be the same store,
    /// moved with its `-wal` file and its external data.
    ///
    /// - Returns: Whether the store is now used there. If not, it is unchanged.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        lock.withLock { store.relocate(to: url) }
    }

    /// Adds a store.
    ///
    /// - Parameters:
    ///   - storeType: `NSInMemoryStoreType`, `NSSQLiteStoreType`, or the type of a registered class.
    ///   - configuration: The configuration whose entities it holds; `nil` for all.
    ///   - storeURL: The store's location; `nil` for an in-memory store.
    ///   - options: The store's options.
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type, 134080 if it cannot be opened, 134081 if
    ///   the coordinator has the store already, or a copy of it with the same UUID.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        if let configuration, managedObjectModel.entities(forConfigurationName: configuration) == nil {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the model has no configuration “\(configuration)”",
                userInfo: [NSURLErrorKey: storeURL ?? "nil", "reason": "Unsupported feature in this configuration"])
        }
        let store = try lock.withLock {
            if let storeURL,
                let open = openStore(at: storeURL, configuration: configuration, options: options)
            {
                throw sameStore(open, storeURL)
            }
            let store = try openStore(storeType, configuration: configuration, storeURL: storeURL, options: options)
            stores.append(store)
            // The IDs of objects find a store that was removed and is added again.
            _ = store.storeIdentity
            return store
        }
        store.didAdd(to: self)
        postStoresDidChange([NSAddedPersistentStoresKey: [store]])
        return store
    }

    /// Adds a store (newer spelling).
    ///
    /// - Throws: See `addPersistentStore(ofType:configurationName:at:options:)`.
    @discardableResult
    public final func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store of a description, and calls the block: on the calling thread, or later on another one if the
    /// description requests asynchronous loading.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let work = SendableBox { [self] in
            do {
                var options: [AnyHashable: Any] = storeDescription.options
                options[NSPersistentStoreTimeoutOption] = storeDescription.timeout
                storeDescription.addedStore = try addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration,
                    at: storeDescription.url, options: options)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { queue.async { work.value() } } else { work.value() }
    }

    /// Removes a store. Its objects can then no longer be loaded or saved. A no-op for a store that the coordinator has
    /// destroyed.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSPersistentStoreOperationError` (134070) if the coordinator does not
    ///   have the store.
    open func remove(_ store: NSPersistentStore) throws {
        if lock.withLock({ store.isDestroyed }) { return }
        try removeOpen(store)
    }

    final func postStoresDidChange(_ userInfo: [String: Any]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
    }

    /// Returns the store that holds an entity's new objects: the first whose configuration has it and that can be
    /// written.
    final func store(forNew layout: EntityLayout) -> NSPersistentStore? {
        let candidates = persistentStores.filter { holds(layout, $0) }
        return candidates.first { !$0.isReadOnly } ?? candidates.first
    }

    /// Returns whether a store's configuration has an entity.
    final func holds(_ layout: EntityLayout, _ store: NSPersistentStore) -> Bool {
        guard let configuration = store.requestedConfiguration else { return true }
        return managedObjectModel.entities(forConfigurationName: configuration)?
            .contains { $0 === layout.entity } == true
    }

    // MARK: Moving stores

    /// Copies a store to another location or into another type of store, and replaces it with the copy.
    ///
    /// The original stays on disk but is removed from the coordinator: its objects, which contexts may still hold, can
    /// no longer be loaded or saved. Unsaved changes of contexts are not copied. The copy has its own UUID, and thus
    /// different object IDs. Other threads that use the coordinator wait until the copy has replaced the store.
    /// Observers of `NSPersistentStoreCoordinatorWillRemoveStore` are called before the store is copied, and may save
    /// to it.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - URL: the location of the copy. An existing atomic store is replaced.
    ///   - options: The options that the copy is added with.
    ///   - storeType: The type of the copy.
    /// - Returns: The copy.
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 if the store is not the
    ///   coordinator's or one of its stores is at the URL; otherwise the reason why the copy cannot be written. The
    ///   coordinator is then unchanged.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try migrate(store, to: URL, options: options, storeType: storeType)
    }

    /// Deletes a store. If the coordinator has it open, it is removed from the coordinator, too.
    ///
    /// A SQLite store is replaced by an empty file, also if there was none; the file of an XML or binary store is
    /// removed. Contexts keep the objects of a store that was open: reset them.
    ///
    /// - Parameters:
    ///   - url: The store's location.
    ///   - storeType: The store's type.
    ///   - options: The options with which it would be added.
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 if it cannot be deleted, such as an
    ///   incremental store.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroy(at: url, options, storeType)
    }

    /// Replaces a store with a copy of another, or creates it as a copy. Neither may be open.
    ///
    /// - Parameters:
    ///   - destinationURL: The location of the copy.
    ///   - destinationOptions: The options with which the store there would be added.
    ///   - sourceURL: The location of the original, which is kept.
    ///   - sourceOptions: The options with which the original would be added.
    ///   - storeType: The type of both.
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 if the coordinator has a store at
    ///   the destination, or the store cannot be copied, such as an in-memory or incremental store. The store at the
    ///   destination is then unchanged.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try replace(
            at: destinationURL, options: destinationOptions, withStoreAt: sourceURL, sourceOptions: sourceOptions,
            storeType: storeType)
    }

    // MARK: Store types

    /// The store classes by type.
    open class var registeredStoreTypes: [String: Any] {
        Dictionary(uniqueKeysWithValues: Set(StoreTypes.all).map { ($0, StoreTypes.storeClass($0) as Any) })
    }

    /// Registers a store class for `addPersistentStore`; `nil` unregisters the type.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        StoreTypes.register(storeClass as? NSPersistentStore.Type, storeType)
    }

    // MARK: Metadata

    /// Returns a store's metadata.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { lock.withLock { store.metadata } }

    /// Sets a store's metadata. The next save of a context writes it, even if the context has no changes.
    ///
    /// The type, the version of the model, and the UUID unless the new metadata have one, are kept. A new UUID takes
    /// effect immediately: the URIs of the objects' IDs change with it.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        lock.withLock {
            var metadata = metadata ?? [:]
            metadata[NSStoreTypeKey] = store.type
            if (metadata[NSStoreUUIDKey] as? String ?? "").isEmpty { metadata[NSStoreUUIDKey] = store.identifier }
            store.metadata = metadata
            store.hasUnsavedMetadata = true
        }
    }

    /// Returns the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type; otherwise the reason why the metadata
    ///   cannot be read.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreTypes.storeClass(storeType, at: url).metadata(at: url, options: options ?? [:])
    }

    /// Sets the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 134000 for an unknown type; otherwise the reason why the metadata
    ///   cannot be written.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreTypes.storeClass(storeType, at: url).setMetadata(metadata, at: url, options: options ?? [:])
    }

    // MARK: History

    /// Returns the current end of the stores' history.
    ///
    /// - Parameter stores: The stores; `nil` for all.
    /// - Returns: The token, or `nil` if none of the stores keeps a history.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        historyToken(of: stores as? [NSPersistentStore])
    }

    // MARK: IDs

    /// Returns the ID for a URI, or `nil` if no store has its UUID or the model lacks its entity.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host(percentEncoded: false) else { return nil }
        let parts = url.path(percentEncoded: true).split(separator: "/").map(String.init)
        guard parts.count == 2, let layout = layout(named: parts[0]),
            let reference = NSManagedObjectID.reference(fromPathComponent: parts[1]),
            let store = persistentStores.first(where: { $0.identifier == host })
        else { return nil }
        return NSManagedObjectID(reference, layout, store: store)
    }

    // MARK: Work

    /// Runs a block asynchronously on the coordinator's queue.
    open func perform(_ block: @escaping () -> Void) {
        let work = SendableBox(block)
        queue.async { work.value() }
    }

    /// Runs a block with exclusive access to the coordinator.
    open func performAndWait(_ block: () -> Void) { lock.perform(block) }

    /// Executes a request in the stores on behalf of a context.
    ///
    /// - Parameters:
    ///   - request: A fetch request, whose result is an array, or a batch request, which returns the result of its
    ///     kind.
    ///   - context: A context of this coordinator; called on its queue.
    /// - Throws: An `NSError` of Cocoa's domain: 134091 if a store does not support the request.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            misuse("NSInvalidArgumentException", "the context of a request must be one of the coordinator's")
        }
        return try context.resultForCoordinator(of: request)
    }
}
