public import Foundation

/// The base class of all stores.
///
/// ```swift
/// for store in coordinator.persistentStores {
///     print(store.type, store.isReadOnly)  // prints SQLite false
/// }
/// ```
///
/// Custom stores are subclasses of `NSAtomicStore`, which holds all objects in memory, or `NSIncrementalStore`, which
/// loads objects on demand. The coordinator calls a store under its lock, one call at a time.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    private weak var coordinator: NSPersistentStoreCoordinator?
    /// The state that the store shares with its engine.
    final let environment: StoreEnvironment

    /// Creates a store. Called by the coordinator.
    ///
    /// The designated initializer. Subclasses that override it call super with the same arguments.
    ///
    /// - Parameters:
    ///   - root: The store's coordinator.
    ///   - name: The configuration whose entities the store contains; `nil` for all.
    ///   - url: The store's location.
    ///   - options: The options with which the store is added.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        coordinator = root
        environment = StoreEnvironment(configuration: name, url: url, options: options, host: root)
        super.init()
        environment.attach(to: self) { [unowned self] uuid in
            coordinator?.storeIdentity(uuid, of: self) ?? StoreIdentity(uuid: uuid, store: self)
        }
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

    /// Returns the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSPersistentStoreOperationError` (134070) unless overridden.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the class \(self) have no metadata",
            userInfo: [NSURLErrorKey: url])
    }

    /// Sets the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSPersistentStoreOperationError` (134070) unless overridden.
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
    ///
    /// - Throws: The reason why the store cannot be used; it is then not added. The default throws no error.
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

    /// The coordinator; `nil` after the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinator }

    /// The name of the configuration.
    open var configurationName: String { environment.requestedConfiguration ?? "PF_DEFAULT_CONFIGURATION_NAME" }

    /// The configuration with which the store was added; `nil` for all entities.
    final var requestedConfiguration: String? { environment.requestedConfiguration }

    /// The options with which the store was added.
    open var options: [AnyHashable: Any]? { environment.options }

    /// The location of the store.
    open var url: URL? {
        get { environment.url }
        set { environment.url = newValue }
    }

    /// Continues to use the store at another location. Overridden by stores that keep a file open.
    ///
    /// - Returns: Whether the store is now used there. If not, it is unchanged.
    func relocate(to url: URL) -> Bool {
        self.url = url
        return true
    }

    /// The store's UUID, which is part of its objects' IDs. Stores that keep one set it before the coordinator asks.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var identifier: String! {
        get { environment.identifier }
        set { environment.identifier = newValue ?? UUID().uuidString }
    }

    /// Whether the coordinator has destroyed the store's file and removes the store. Guarded by the coordinator's lock.
    final var isDestroyed = false

    /// The identity that the IDs of the store's objects refer to. Accessed under the coordinator's lock.
    final var storeIdentity: StoreIdentity { environment.identity }

    /// The store's type, for example `NSInMemoryStoreType`. The default is the type in the metadata.
    open var type: String { environment.storedMetadata[NSStoreTypeKey] as? String ?? "" }

    /// Whether the store is read-only.
    open var isReadOnly: Bool {
        get { environment.isReadOnly }
        set { environment.isReadOnly = newValue }
    }

    /// The store's metadata, including the app's additions. Setting it adopts the UUID in the new metadata, if any. The
    /// next save of a context writes the metadata, even if the context has no changes.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var metadata: [String: Any]! {
        get { environment.metadata(ofType: type) }
        set { environment.metadata = newValue ?? [:] }
    }

    /// Returns the metadata to write: those that another program may have written in the meantime, with the changes
    /// made here.
    final func metadata(changing current: [String: Any]) -> [String: Any] {
        environment.metadata(changing: current)
    }

    final func recordSavedMetadata(_ metadata: [String: Any]) { environment.recordSavedMetadata(metadata) }

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from a coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Clears the reference to the coordinator.
    final func detach() {
        if let identity = environment.createdIdentity, identity.store === self { identity.store = nil }
        coordinator = nil
        environment.host = nil
    }

    // MARK: What it does for contexts

    /// What the store does for the coordinator and its contexts. Overridden by Apple's base classes of custom stores,
    /// and the stores of this module.
    var engine: any StoreEngine { EmptyEngine.shared }

    /// Lets the next save replace a file that another program has changed since the store read it. Does nothing in
    /// stores that write single objects.
    package func acceptOverwriting() throws {}

    /// Whether the metadata have unsaved changes. Guarded by the coordinator's lock.
    final var hasUnsavedMetadata: Bool {
        get { environment.hasUnsavedMetadata }
        set { environment.hasUnsavedMetadata = newValue }
    }
}
