internal import Foundation

/// An engine whose public face is a `_BuiltInStore`. Custom stores are engines themselves instead, because their
/// requirements are their public interface.
package protocol BuiltInEngine: StoreEngine, Sendable {
    static var storeType: String { get }

    var environment: StoreEnvironment { get }

    /// Creates the engine of a store that is not open yet.
    init(_ environment: StoreEnvironment)

    // MARK: Stores that are not open

    /// Returns the metadata of a store. By default, throws an error that the type has none.
    static func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any]

    /// Sets the metadata of a store. By default, throws an error that the type has none.
    static func setMetadata(_ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]) throws

    /// Removes a store, with its associated files.
    static func destroyStore(at url: URL, options: [AnyHashable: Any]) throws

    /// Replaces a store with a copy of another one. By default, throws an error that it cannot be replaced.
    static func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws

    // MARK: Migration

    /// Returns the copy of the model in a store, or `nil`, by default, if the store has none or cannot be read.
    static func storedModel(at store: StoreAddress) -> NSManagedObjectModel?

    /// Runs a closure while no other program migrates the store in several transactions. By default, under the lock of
    /// the store's folder.
    static func withMigrationLock(of request: MigrationRequest, _ body: () throws -> Void) throws

    /// Migrates a store by inference, where it is.
    ///
    /// - Returns: Whether the store was migrated. `false` by default: the caller migrates a copy.
    static func migrateInPlace(_ request: MigrationRequest, from source: NSManagedObjectModel) throws -> Bool

    /// Replaces the contents of a store with those of a store that a closure writes elsewhere. Called under the lock of
    /// migrations.
    ///
    /// - Parameter write: Reads the old store and writes the new one.
    /// - Returns: Whether the contents were replaced. `false` by default: the caller writes a file beside the old one.
    static func replaceContents(
        of request: MigrationRequest, writing write: (_ old: StoreAddress, _ new: StoreAddress) throws -> Void
    ) throws -> Bool

    /// Returns whether a store exists, or `nil`, by default, if its files tell. A server that cannot be asked may have
    /// the store.
    static func exists(_ store: StoreAddress) -> Bool?

    /// Removes a store that was written in part.
    ///
    /// - Returns: Whether the engine has tried to. `false` by default: the caller removes the files.
    static func remove(_ store: StoreAddress) -> Bool

    // MARK: Life

    /// Reads the metadata when the store is added, without changing anything: a rejected store is left unchanged. Does
    /// nothing by default.
    func loadMetadata() throws

    /// Continues to use the store at another location. By default, only notes the location.
    ///
    /// - Returns: Whether the store is now used there. If not, it is unchanged.
    func relocate(to url: URL) -> Bool

    /// Closes the store before it is removed from its coordinator. Does nothing by default.
    func close()
}

extension BuiltInEngine {
    package static func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        throw withoutMetadata(url)
    }

    private static func withoutMetadata(_ url: URL) -> NSError {
        CoreDataError.error(
            .persistentStoreOperation, text: "stores of the type \(storeType) have no metadata",
            userInfo: [NSURLErrorKey: url])
    }

    package static func setMetadata(_ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]) throws {
        throw withoutMetadata(url)
    }

    package static func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the type \(storeType) cannot be replaced",
            userInfo: [NSURLErrorKey: url])
    }

    package static func storedModel(at store: StoreAddress) -> NSManagedObjectModel? { nil }

    package static func withMigrationLock(of request: MigrationRequest, _ body: () throws -> Void) throws {
        try StoreFolderLock(request.url).withLock(body)
    }

    package static func migrateInPlace(
        _ request: MigrationRequest, from source: NSManagedObjectModel
    ) throws -> Bool { false }

    package static func replaceContents(
        of request: MigrationRequest, writing write: (_ old: StoreAddress, _ new: StoreAddress) throws -> Void
    ) throws -> Bool { false }

    package static func exists(_ store: StoreAddress) -> Bool? { nil }

    package static func remove(_ store: StoreAddress) -> Bool { false }

    package func loadMetadata() throws {}

    package func relocate(to url: URL) -> Bool {
        environment.url = url
        return true
    }

    package func close() {}
}

/// The environment, as engines use it.
extension BuiltInEngine {
    package var type: String { Self.storeType }

    package var url: URL? {
        get { environment.url }
        set { environment.url = newValue }
    }

    package var options: [AnyHashable: Any]? { environment.options }

    package var requestedConfiguration: String? { environment.requestedConfiguration }

    /// The coordinator; `nil` after the store was removed.
    package var host: (any StoreHost)? { environment.host }

    package var isReadOnly: Bool {
        get { environment.isReadOnly }
        set { environment.isReadOnly = newValue }
    }

    package var identifier: String {
        get { environment.identifier }
        set { environment.identifier = newValue }
    }

    package var storeIdentity: StoreIdentity { environment.identity }

    package var metadata: [String: Any] {
        get { environment.metadata }
        set { environment.metadata = newValue }
    }

    package var hasUnsavedMetadata: Bool {
        get { environment.hasUnsavedMetadata }
        set { environment.hasUnsavedMetadata = newValue }
    }

    /// Returns the metadata to write: those that another program may have written in the meantime, with the changes
    /// made here.
    package func metadata(changing current: [String: Any]) -> [String: Any] { environment.metadata(changing: current) }

    /// Records the metadata that a save has written.
    package func recordSavedMetadata(_ metadata: [String: Any]) { environment.recordSavedMetadata(metadata) }

    /// The store, in the form in which errors name it.
    package var affectedStores: [AnyObject] { environment.affectedStores }

    /// Returns whether an object is in the store.
    package func holds(_ id: NSManagedObjectID) -> Bool { environment.holds(id) }
}
