public import Foundation

/// The base class of all stores.
///
/// ```swift
/// for store in coordinator.persistentStores {
///     print(store.type, store.isReadOnly)  // prints SQLite false
/// }
/// ```
///
/// Custom stores are subclasses of `NSAtomicStore`, which holds all objects in memory, or `NSIncrementalStore`, which loads
/// objects on demand. The coordinator calls a store under its lock, one call at a time.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    private weak var coordinator: NSPersistentStoreCoordinator?
    private let configuration: String?
    private var location: URL?
    private var storeOptions: [AnyHashable: Any]?
    private var storeMetadata: [String: Any] = [:]
    private var uuid = UUID().uuidString

    /// Creates a store; the coordinator does that.
    ///
    /// The designated initializer. Subclasses that override it call super with the same arguments.
    ///
    /// - Parameters:
    ///   - root: the coordinator that the store is for.
    ///   - name: the configuration whose entities the store holds; nil for all.
    ///   - url: where the store is.
    ///   - options: the options that the store was added with.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        coordinator = root
        configuration = name
        location = url
        storeOptions = options
        super.init()
    }

    /// Creates a store of a class that is known only at run time.
    ///
    /// The coordinator's way to the designated initializer, which is not `required`, so that overrides of it are written as on Apple's
    /// platforms. Subclasses inherit it and do not call it.
    public required convenience init(
        _opening root: NSPersistentStoreCoordinator, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) {
        self.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: Metadata of stores that are not open

    /// Returns the metadata of a store that is not open. An error unless overridden.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.error(
            .persistentStoreOperation, "stores of the class \(self) have no metadata", [NSURLErrorKey: url])
    }

    /// Sets the metadata of a store that is not open. An error unless overridden.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, "stores of the class \(self) have no metadata", [NSURLErrorKey: url])
    }

    /// Returns the metadata of a store that is not open, read with options. Overridden by stores that have some for
    /// that.
    class func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try metadataForPersistentStore(with: url)
    }

    /// Sets the metadata of a store that is not open, with options. Overridden by stores that have some for that.
    class func setMetadata(_ metadata: [String: Any]?, at url: URL, options: [AnyHashable: Any]) throws {
        try setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// Reads the metadata when the store is added; at the least its type and its UUID. Overridden by stores that keep them.
    open func loadMetadata() throws {}

    /// Removes a store that is not open, with its associated files. Overridden by stores that have files.
    class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, "stores of the class \(self) cannot be destroyed", [NSURLErrorKey: url])
    }

    /// Replaces a store by a copy of another that is not open.
    class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, "stores of the class \(self) cannot be replaced", [NSURLErrorKey: url])
    }

    // MARK: The store

    /// The coordinator; nil after the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinator }

    /// The name of the configuration.
    open var configurationName: String { configuration ?? "PF_DEFAULT_CONFIGURATION_NAME" }

    /// The configuration as it was asked for; nil for all entities.
    final var requestedConfiguration: String? { configuration }

    /// The options that the store was added with.
    open var options: [AnyHashable: Any]? { storeOptions }

    /// Where the store is.
    open var url: URL? {
        get { location }
        set { location = newValue }
    }

    /// Uses the store at another place from now on. Overridden by stores that have a file open.
    ///
    /// - Returns: whether the store is used there; otherwise it is as it was.
    func relocate(to url: URL) -> Bool {
        self.url = url
        return true
    }

    /// The store's UUID, which is part of its objects' IDs. Stores that keep one set it before the coordinator asks.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var identifier: String! {
        get { uuid }
        set {
            uuid = newValue ?? UUID().uuidString
            knownPlace = nil
        }
    }

    private var knownPlace: StorePlace?

    /// What the IDs of the store's objects refer to. Asked for under the coordinator's lock.
    final var place: StorePlace {
        if let knownPlace, knownPlace.uuid == uuid { return knownPlace }
        let place = StorePlace(uuid: uuid, store: self)
        knownPlace = place
        return place
    }

    /// The store's type, for example `NSInMemoryStoreType`. Unless a subclass says which, the one in the metadata.
    open var type: String { storeMetadata[NSStoreTypeKey] as? String ?? "" }

    /// Whether nothing can be saved.
    open var isReadOnly: Bool {
        get { readOnly }
        set { readOnly = newValue }
    }

    private lazy var readOnly = (storeOptions?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false

    /// The store's metadata, including the app's additions. The UUID in it becomes the store's; without one the store
    /// keeps its own. The next save of a context writes what was set, also if the context has no changes.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var metadata: [String: Any]! {
        get {
            var result = storeMetadata
            result[NSStoreTypeKey] = type
            result[NSStoreUUIDKey] = uuid
            return result
        }
        set {
            // The coordinator's lock is recursive; a store that no coordinator has is used by one thread.
            guard let coordinator else { return adopt(newValue ?? [:]) }
            coordinator.lock.withLock { adopt(newValue ?? [:]) }
        }
    }

    private final func adopt(_ metadata: [String: Any]) {
        storeMetadata = metadata
        if let newUUID = metadata[NSStoreUUIDKey] as? String { uuid = newUUID }
        hasUnsavedMetadata = true
    }

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from a coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Forgets the coordinator.
    final func detach() {
        coordinator = nil
    }

    // MARK: Objects; overridden by the kinds of stores of this module

    /// Called when the store is added and its metadata fit the model: stores that hold all objects in memory read them.
    func loadContents() throws {}

    /// Whether the metadata were changed and are not saved yet. Guarded by the coordinator's lock.
    final var hasUnsavedMetadata = false

    /// Whether contexts tell the store which objects they use.
    var tracksObjects: Bool { false }

    /// A context uses an object. Called if the store tracks objects.
    func beginUse(of id: NSManagedObjectID) {}

    /// A context does not use an object anymore. Called on any thread.
    func endUse(of id: NSManagedObjectID) {}

    /// Returns the row of an object, or `nil` if the store has none.
    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? { nil }

    /// Forgets cached rows if the store may have changed behind them, unless that was checked recently. Called under the coordinator's
    /// lock. Overridden by stores that cache what others can write.
    ///
    /// - Parameter age: the seconds for which an earlier check counts; zero to check now.
    func dropStaleRows(olderThan age: TimeInterval) throws {}

    /// Returns the rows of many objects; nil for those that do not exist. Overridden by stores that load many at once
    /// faster than one by one.
    func rows(for ids: [NSManagedObjectID]) throws -> [Row?] { try ids.map { try row(for: $0, $0.layout) } }

    /// Whether the store is in memory, so that nothing is at its URL.
    var isInMemory: Bool { false }

    /// Returns whether a store with some options is the same one if it has the same URL. Overridden by stores several
    /// of which share a URL.
    func sharesPlace(with options: [AnyHashable: Any]) -> Bool { true }

    /// Whether `rows(for:)` is worth being called for objects that may be needed soon.
    var loadsRowsInBatches: Bool { false }

    /// Whether each question to the store takes a round trip, so that many objects are asked for at once.
    var isRemote: Bool { false }

    /// Calls a function with the members of a to-many relationship of many objects: the owner's place among the IDs, and the key,
    /// layout and row of the member. Overridden by stores that load rows in batches.
    func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout,
        _ body: (_ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws {}

    /// Runs a function that inserts rows. Overridden by stores that have rows.
    func insert(_ rows: (RowInsertion) throws -> Void) throws {
        throw CoreDataError.error(.persistentStoreSave, "only SQLite stores can be written by rows")
    }

    /// Returns the objects of a to-many relationship.
    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) throws -> [NSManagedObjectID] { [] }

    /// Answers a fetch as far as the store can, and says what remains for the context to do.
    ///
    /// A store that translates requests answers with rows, IDs, dictionaries or a number; one that does not, with all objects
    /// of the layouts as candidates. Only contexts make objects.
    func fetch(_ search: FetchSearch) throws -> StoreAnswer { StoreAnswer(.ids([])) }

    /// Asks a remote store for a search before the coordinator's lock is taken, so that several threads wait for the server at once.
    /// Called by any thread. Overridden by stores that can.
    ///
    /// - Returns: What `fetch(_:ahead:)` takes under the lock; `nil` for nothing.
    func fetchAhead(_ search: FetchSearch) -> AnyObject? { nil }

    /// Answers a fetch with the help of what `fetchAhead(_:)` has found.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer { try fetch(search) }

    /// Whether a copy into the store replaces its contents, as files are written as a whole.
    var copyReplacesContents: Bool { false }

    /// Carries out a batch request. Throws an error with the code 134091 unless overridden.
    ///
    /// No object of a context changes. The store enforces the unique constraints of new objects, by the batch's merge policy.
    func execute(_ batch: BatchChange) throws -> BatchOutcome {
        throw CoreDataError.error(
            .persistentStoreUnsupportedRequestType, "a store of the type \(type) does not carry out batch requests",
            [NSAffectedStoresErrorKey: [self]])
    }

    /// Permanent IDs for new objects.
    func newIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] { [] }

    /// Writes all changes or none, and the metadata. Gives the row of each as it is now; nil for one that was deleted, or whose
    /// row did not change.
    ///
    /// The save's locked objects were found to be as the context knows them.
    func save(_ save: StoreSave) throws -> [Row?] { save.changes.map { _ in nil } }

    /// Returns the rows of objects whose derived attributes the last save has changed, besides those that it has
    /// written itself. Their versions are unchanged, because no save changed them. Called once after each save.
    func takeDerivedRows() -> [NSManagedObjectID: Row] { [:] }
}
