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

    /// Creates a store. Called by the coordinator.
    ///
    /// The designated initializer. Subclasses that override it call super with the same arguments.
    ///
    /// - Parameters:
    ///   - root: the store's coordinator.
    ///   - name: the configuration whose entities the store contains; nil for all.
    ///   - url: the store's location.
    ///   - options: the options with which the store is added.
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

    /// Creates a store of a class that is only known at run time.
    ///
    /// The coordinator calls it in place of the designated initializer, which is not `required`, so that subclasses
    /// override that one as on Apple's platforms. Subclasses inherit this initializer and do not call it.
    public required convenience init(
        _opening root: NSPersistentStoreCoordinator, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) {
        self.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: Metadata of stores that are not open

    /// Returns the metadata of a store that is not open. Throws an error unless overridden.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the class \(self) have no metadata",
            userInfo: [NSURLErrorKey: url])
    }

    /// Sets the metadata of a store that is not open. Throws an error unless overridden.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the class \(self) have no metadata",
            userInfo: [NSURLErrorKey: url])
    }

    /// Returns the metadata of a store that is not open, using options. Overridden by stores with options for this.
    class func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try metadataForPersistentStore(with: url)
    }

    /// Sets the metadata of a store that is not open, using options. Overridden by stores with options for this.
    class func setMetadata(_ metadata: [String: Any]?, at url: URL, options: [AnyHashable: Any]) throws {
        try setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// Reads the metadata when the store is added: at least its type and its UUID. Overridden by stores that keep
    /// metadata.
    open func loadMetadata() throws {}

    /// Removes a store that is not open, with its associated files. Overridden by stores that have files.
    class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the class \(self) cannot be destroyed",
            userInfo: [NSURLErrorKey: url])
    }

    /// Replaces a store with a copy of another one that is not open.
    class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the class \(self) cannot be replaced",
            userInfo: [NSURLErrorKey: url])
    }

    // MARK: The store

    /// The coordinator; nil after the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinator }

    /// The name of the configuration.
    open var configurationName: String { configuration ?? "PF_DEFAULT_CONFIGURATION_NAME" }

    /// The configuration with which the store was added; nil for all entities.
    final var requestedConfiguration: String? { configuration }

    /// The options with which the store was added.
    open var options: [AnyHashable: Any]? { storeOptions }

    /// The location of the store.
    open var url: URL? {
        get { location }
        set { location = newValue }
    }

    /// Continues to use the store at another location. Overridden by stores that keep a file open.
    ///
    /// - Returns: whether the store is now used there. If not, it is unchanged.
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
            knownIdentity = nil
        }
    }

    private var knownIdentity: StoreIdentity?
    /// Whether the coordinator has destroyed the store's file and removes the store. Guarded by the coordinator's lock.
    final var isDestroyed = false

    /// The identity that the IDs of the store's objects refer to. Accessed under the coordinator's lock.
    final var storeIdentity: StoreIdentity {
        if let knownIdentity { return knownIdentity }
        let storeIdentity = coordinator?.storeIdentity(uuid, of: self) ?? StoreIdentity(uuid: uuid, store: self)
        knownIdentity = storeIdentity
        return storeIdentity
    }

    /// The store's type, for example `NSInMemoryStoreType`. The default is the type in the metadata.
    open var type: String { storeMetadata[NSStoreTypeKey] as? String ?? "" }

    /// Whether the store is read-only.
    open var isReadOnly: Bool {
        get { readOnly }
        set { readOnly = newValue }
    }

    private lazy var readOnly = (storeOptions?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false

    /// The store's metadata, including the app's additions. Setting it adopts the UUID in the new metadata, if any. The
    /// next save of a context writes the metadata, even if the context has no changes.
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
            // The coordinator's lock is recursive; a store without a coordinator is used by one thread.
            guard let coordinator else { return adopt(newValue ?? [:]) }
            coordinator.lock.withLock { adopt(newValue ?? [:]) }
        }
    }

    private final func adopt(_ metadata: [String: Any]) {
        storeMetadata = StoreMetadata.metadata(metadata, keepingVersionOf: storeMetadata)
        if let newUUID = metadata[NSStoreUUIDKey] as? String, !newUUID.isEmpty,
            newUUID.utf8.elementsEqual(uuid.utf8) == false
        {
            uuid = newUUID
            // The objects of an open store stay the same ones.
            if let knownIdentity { coordinator?.rename(knownIdentity, to: newUUID) }
        }
        hasUnsavedMetadata = true
    }

    /// Returns the metadata to write: those that another program may have written in the meantime, with the changes made
    /// here.
    final func metadata(changing current: [String: Any]) -> [String: Any] {
        StoreMetadata.metadata(current, changedFrom: savedMetadata, to: storeMetadata)
    }

    /// Records the metadata that a save has written.
    final func recordSavedMetadata(_ metadata: [String: Any]) {
        storeMetadata = metadata
        hasUnsavedMetadata = false
    }

    /// The metadata that the file had when the store last read or wrote them.
    private var savedMetadata: [String: Any] = [:]

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from a coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Clears the reference to the coordinator.
    final func detach() {
        if knownIdentity?.store === self { knownIdentity?.store = nil }
        coordinator = nil
    }

    // MARK: Objects; overridden by the store types of this module

    /// Called when the store is added and its metadata match the model. Stores that keep all objects in memory read
    /// them here.
    func loadContents() throws {}

    /// Whether the metadata have unsaved changes. Guarded by the coordinator's lock.
    final var hasUnsavedMetadata = false {
        didSet { if !hasUnsavedMetadata { savedMetadata = storeMetadata } }
    }

    /// Whether contexts report to the store which objects they use.
    var tracksObjects: Bool { false }

    /// Called when a context begins to use an object, if the store tracks objects.
    func beginUse(of id: NSManagedObjectID) {}

    /// Called on any thread when a context no longer uses an object.
    func endUse(of id: NSManagedObjectID) {}

    /// Returns the row of an object, or `nil` if the store has none.
    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? { nil }

    /// Drops cached rows if others may have changed the store, unless that was checked recently. Called under the
    /// coordinator's lock. Overridden by stores that cache rows which others can write.
    ///
    /// - Parameter age: the time, in seconds, for which an earlier check is valid; zero to check now.
    func dropStaleRows(olderThan age: TimeInterval) throws {}

    /// Returns the rows of many objects; nil for those that do not exist. Overridden by stores that load many rows at
    /// once faster than one by one.
    func rows(for ids: [NSManagedObjectID]) throws -> [Row?] { try ids.map { try row(for: $0, $0.layout) } }

    /// Whether the store is in memory, so its URL is not a location.
    var isInMemory: Bool { false }

    /// Returns whether a store with the same URL is the same store. Overridden by stores of which several may share a URL.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the other store.
    ///   - options: The options of the other store.
    func isSame(withConfiguration configuration: String?, options: [AnyHashable: Any]) -> Bool { true }

    /// Whether it is worth calling `rows(for:)` for objects that may be needed soon.
    var loadsRowsInBatches: Bool { false }

    /// Whether answers of `fetch(_:)` never include the objects that a request excludes.
    var excludesObjects: Bool { false }

    /// Whether each request to the store takes a round trip, so that many objects should be requested at once.
    var isRemote: Bool { false }

    /// Calls a function with the members of a to-many relationship of many objects: the owner's index among the IDs,
    /// and the key, layout and row of the member. Overridden by stores that load rows in batches.
    func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout,
        _ body: (_ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws {}

    /// Runs a function that inserts rows. Overridden by stores with rows.
    func insert(_ rows: (RowInsertion) throws -> Void) throws {
        throw CoreDataError.error(.persistentStoreSave, text: "only SQLite stores can be written by rows")
    }

    /// Returns the objects of a to-many relationship.
    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) throws -> [NSManagedObjectID] { [] }

    /// Executes a fetch as far as the store can, and reports what remains for the context to do.
    ///
    /// A store that translates requests returns rows, IDs, dictionaries or a number; any other store returns all
    /// objects of the layouts as candidates. Only contexts create managed objects.
    func fetch(_ search: FetchSearch) throws -> StoreAnswer { StoreAnswer(.ids([])) }

    /// Begins a search in a remote store before the coordinator's lock is taken, so that several threads can wait for
    /// the server at the same time. Called on any thread. Overridden by stores that support this.
    ///
    /// - Returns: an object to pass to `fetch(_:ahead:)` under the lock, or `nil` if nothing was fetched ahead.
    func fetchAhead(_ search: FetchSearch) -> AnyObject? { nil }

    /// Executes a fetch, using the result of `fetchAhead(_:)`.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer { try fetch(search) }

    /// Whether a copy into the store replaces its contents, because its file is written as a whole.
    var copyReplacesContents: Bool { false }

    /// Executes a batch request. Throws an error with the code 134091 unless overridden.
    ///
    /// No object of a context changes. The store enforces the unique constraints of new objects, by the batch's merge policy.
    ///
    /// - Parameter evaluation: what the caller does for the store.
    func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome {
        throw CoreDataError.error(
            .persistentStoreUnsupportedRequestType,
            text: "a store of the type \(type) does not carry out batch requests",
            userInfo: [NSAffectedStoresErrorKey: [self]])
    }

    /// Returns permanent IDs for new objects.
    func permanentIDs(for new: [NewObject]) throws -> [NSManagedObjectID] { [] }

    /// Returns the derived attributes of an entity that the caller of a save computes, from objects.
    func callerDerivedSlots(of layout: EntityLayout) -> [Int] { [] }

    /// Writes the changes, all or none, and the metadata. Returns what was written.
    ///
    /// The save's locked objects have already been checked for conflicts.
    func save(_ save: StoreSave) throws -> SaveResult { SaveResult(rows: save.changes.map { _ in nil }) }

    /// Begins a save, so that several stores are saved together. Overridden by stores that can take back what they have
    /// written; others write when they commit.
    ///
    /// - Throws: what `save(_:)` throws. Nothing has changed then.
    func prepare(_ save: StoreSave) throws -> PreparedSave {
        PreparedSave(isWritten: false, commit: { [self] in try self.save(save) }, rollBack: {})
    }

    /// Lets the next save replace a file that others have changed since the store read it. Does nothing in stores that
    /// write single objects.
    package func acceptOverwriting() throws {}

    /// Returns whether changes were saved by a save that ended with `UnknownSaveOutcome`; nil if it cannot be determined.
    ///
    /// - Parameter transaction: the number of the transaction in the store, if it has one.
    /// - Throws: an error if the store cannot be asked, or may still save the changes.
    func outcome(ofUncertain changes: [ObjectChange], transaction: Int64?) throws -> Bool? {
        try dropStaleRows(olderThan: 0)
        return UnknownSaveOutcome.outcome(of: changes, try rows(for: changes.map(\.id)))
    }
}
