internal import Foundation
internal import RuntimeSupport

/// What an engine may know of its surroundings. It shares this state with the `NSPersistentStore` that is its public
/// face.
///
/// Guarded by the coordinator's lock.
package final class StoreEnvironment: @unchecked Sendable {
    /// The configuration with which the store was added; `nil` for all entities.
    let requestedConfiguration: String?
    /// The options with which the store was added.
    let options: [AnyHashable: Any]?
    /// The location of the store.
    var url: URL?
    /// The type of the store, if it does not depend on the metadata.
    var storeType: String?
    /// The store's coordinator; `nil` after the store was removed.
    weak var host: (any StoreHost)?
    /// The store itself, which errors name under `NSAffectedStoresErrorKey`.
    private weak var store: AnyObject?
    private var makeIdentity: ((String) -> StoreIdentity)?

    init(configuration: String?, url: URL, options: [AnyHashable: Any]?, host: (any StoreHost)?) {
        requestedConfiguration = configuration
        self.url = url
        self.options = options
        self.host = host
    }

    /// Sets the store. Called once, before anything else.
    ///
    /// - Parameter makeIdentity: Returns the identity of the store with a UUID.
    func attach(to store: AnyObject, makeIdentity: @escaping (_ uuid: String) -> StoreIdentity) {
        self.store = store
        self.makeIdentity = makeIdentity
    }

    lazy var isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false

    /// The store, in the form in which errors name it.
    var affectedStores: [AnyObject] { store.map { [$0] } ?? [] }

    func holds(_ id: NSManagedObjectID) -> Bool {
        if let createdIdentity, id.storeIdentity === createdIdentity { return true }
        return id.persistentStore.map { $0 === store } ?? false
    }

    // MARK: Identity

    /// The store's UUID, which is part of its objects' IDs. Stores that keep one set it before the coordinator asks.
    var identifier = UUID().uuidString {
        didSet { createdIdentity = nil }
    }

    private(set) var createdIdentity: StoreIdentity?

    /// The identity that the IDs of the store's objects refer to.
    var identity: StoreIdentity {
        if let createdIdentity { return createdIdentity }
        guard let makeIdentity else { preconditionFailure("the environment belongs to no store") }
        let identity = makeIdentity(identifier)
        createdIdentity = identity
        return identity
    }

    // MARK: Metadata

    /// The metadata, including the app's additions, but neither type nor UUID.
    private(set) var storedMetadata: [String: Any] = [:]
    /// The metadata that the file had when the store last read or wrote them.
    private var savedMetadata: [String: Any] = [:]

    var hasUnsavedMetadata = false {
        didSet { if !hasUnsavedMetadata { savedMetadata = storedMetadata } }
    }

    /// The metadata, including the app's additions. Setting it adopts the UUID in the new metadata, if any. The next
    /// save of a context writes the metadata, even if the context has no changes.
    var metadata: [String: Any] {
        get { metadata(ofType: storeType ?? storedMetadata[NSStoreTypeKey] as? String ?? "") }
        set {
            // The coordinator's lock is recursive; a store without a coordinator is used by one thread.
            guard let host else { return adopt(newValue) }
            host.withStoreLock { adopt(newValue) }
        }
    }

    func metadata(ofType type: String) -> [String: Any] {
        var result = storedMetadata
        result[NSStoreTypeKey] = type
        result[NSStoreUUIDKey] = identifier
        return result
    }

    private func adopt(_ metadata: [String: Any]) {
        storedMetadata = StoreMetadata.metadata(metadata, keepingVersionOf: storedMetadata)
        if let newUUID = metadata[NSStoreUUIDKey] as? String, !newUUID.isEmpty,
            newUUID.utf8.elementsEqual(identifier.utf8) == false
        {
            // A store that is being opened with the UUID of another is rejected afterwards.
            if createdIdentity != nil, host?.hasStore(withUUID: newUUID) == true {
                // IDs of objects would name both stores.
                storedMetadata[NSStoreUUIDKey] = identifier
                hasUnsavedMetadata = true
                return Log.error(
                    "the store at \(url?.absoluteString ?? "") keeps its UUID, because another open store has \(newUUID)"
                )
            }
            // The objects of an open store stay the same ones.
            let identity = createdIdentity
            identifier = newUUID
            createdIdentity = identity
            if let identity { host?.rename(identity, to: newUUID) }
        }
        hasUnsavedMetadata = true
    }

    /// Returns the metadata to write: those that another program may have written in the meantime, with the changes
    /// made here.
    func metadata(changing current: [String: Any]) -> [String: Any] {
        StoreMetadata.metadata(current, changedFrom: savedMetadata, to: storedMetadata)
    }

    func recordSavedMetadata(_ metadata: [String: Any]) {
        storedMetadata = metadata
        hasUnsavedMetadata = false
    }
}

/// The services of a coordinator for its stores. Called under its lock, unless marked “any thread”.
package protocol StoreHost: AnyObject, Sendable {
    /// The model. Any thread.
    var managedObjectModel: NSManagedObjectModel { get }

    /// Returns the layout of the model's entity with a name. Any thread.
    func layout(named name: String) -> EntityLayout?

    /// Throws an error that lists the differences if a store was created with another version of the model.
    func checkVersion(ofStoreIn environment: StoreEnvironment) throws

    /// Returns whether an open store has a UUID.
    func hasStore(withUUID uuid: String) -> Bool

    /// Sets an identity's UUID to the new one of its store.
    func rename(_ storeIdentity: StoreIdentity, to uuid: String)

    /// Runs a block under the coordinator's lock, which is recursive. Any thread.
    func withStoreLock<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Notifies the coordinator's contexts of what another program has saved. Any thread, not under the lock.
    func othersDidSave(_ ids: SavedIDs)
}
