internal import Foundation

/// An engine of this module, whose public face is a `BuiltInStore`. Custom stores are engines themselves instead, because their
/// requirements are their public interface.
protocol BuiltInEngine: StoreEngine, Sendable {
    /// The type of the store.
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

    // MARK: Life

    /// Reads the metadata when the store is added, without changing anything: a rejected store is left unchanged. Does nothing by
    /// default.
    func loadMetadata() throws

    /// Continues to use the store at another location. By default, only notes the location.
    ///
    /// - Returns: whether the store is now used there. If not, it is unchanged.
    func relocate(to url: URL) -> Bool

    /// Closes the store before it is removed from its coordinator. Does nothing by default.
    func close()
}

extension BuiltInEngine {
    static func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        throw withoutMetadata(url)
    }

    private static func withoutMetadata(_ url: URL) -> NSError {
        CoreDataError.error(
            .persistentStoreOperation, text: "stores of the type \(storeType) have no metadata",
            userInfo: [NSURLErrorKey: url])
    }

    static func setMetadata(_ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]) throws {
        throw withoutMetadata(url)
    }

    static func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        throw CoreDataError.error(
            .persistentStoreOperation, text: "stores of the type \(storeType) cannot be replaced",
            userInfo: [NSURLErrorKey: url])
    }

    func loadMetadata() throws {}

    func relocate(to url: URL) -> Bool {
        environment.url = url
        return true
    }

    func close() {}
}

/// The environment, as engines use it.
extension BuiltInEngine {
    var type: String { Self.storeType }

    var url: URL? {
        get { environment.url }
        set { environment.url = newValue }
    }

    var options: [AnyHashable: Any]? { environment.options }

    var requestedConfiguration: String? { environment.requestedConfiguration }

    /// The coordinator; nil after the store was removed.
    var host: (any StoreHost)? { environment.host }

    var isReadOnly: Bool {
        get { environment.isReadOnly }
        set { environment.isReadOnly = newValue }
    }

    var identifier: String {
        get { environment.identifier }
        set { environment.identifier = newValue }
    }

    var storeIdentity: StoreIdentity { environment.identity }

    var metadata: [String: Any] {
        get { environment.metadata }
        set { environment.metadata = newValue }
    }

    var hasUnsavedMetadata: Bool {
        get { environment.hasUnsavedMetadata }
        set { environment.hasUnsavedMetadata = newValue }
    }

    /// Returns the metadata to write: those that another program may have written in the meantime, with the changes made
    /// here.
    func metadata(changing current: [String: Any]) -> [String: Any] { environment.metadata(changing: current) }

    /// Records the metadata that a save has written.
    func recordSavedMetadata(_ metadata: [String: Any]) { environment.recordSavedMetadata(metadata) }

    /// The store, in the form in which errors name it.
    var affectedStores: [AnyObject] { environment.affectedStores }

    /// Returns whether an object is in the store.
    func holds(_ id: NSManagedObjectID) -> Bool { environment.holds(id) }
}
