internal import Foundation

/// The kinds of stores that can be added.
enum StoreTypes {
    private static let registered = Registered()

    /// Classes by type, guarded by a lock.
    private final class Registered: @unchecked Sendable {
        private let lock = NSLock()
        private var classes: [String: NSPersistentStore.Type] = [:]

        subscript(type: String) -> NSPersistentStore.Type? {
            get { lock.withLock { classes[type] } }
            set { lock.withLock { classes[type] = newValue } }
        }

        var types: [String] { lock.withLock { classes.keys.sorted() } }
    }

    static func register(_ storeClass: NSPersistentStore.Type?, _ type: String) { registered[type] = storeClass }

    static func storeClass(_ type: String) -> NSPersistentStore.Type? {
        registered[type] ?? own[type]
    }

    private static let own: [String: NSPersistentStore.Type] = [
        NSInMemoryStoreType: InMemoryStore.self, NSSQLiteStoreType: SQLiteStore.self,
    ]

    static var all: [String] { registered.types + own.keys.sorted() }

    /// Makes a store of a type.
    static func makeStore(
        _ type: String, _ coordinator: NSPersistentStoreCoordinator, _ configuration: String?, _ url: URL?,
        _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let place = url ?? URL(fileURLWithPath: "/dev/null")
        return try storeClass(type, at: place).init(
            persistentStoreCoordinator: coordinator, configurationName: configuration, at: place, options: options)
    }

    /// The class of a type of stores; an error for an unknown one.
    static func storeClass(_ type: String, at url: URL) throws -> NSPersistentStore.Type {
        if let storeClass = storeClass(type) { return storeClass }
        throw CoreDataError.error(
            .persistentStoreInvalidType,
            "there are no stores of the type “\(type)” here; there are \(all.joined(separator: ", "))",
            [NSURLErrorKey: url])
    }
}

extension NSPersistentStoreCoordinator {
    /// The classes of stores by type.
    public class var registeredStoreTypes: [String: Any] {
        Dictionary(uniqueKeysWithValues: Set(StoreTypes.all).map { ($0, StoreTypes.storeClass($0) as Any) })
    }

    /// Makes a class of stores known, for `addPersistentStore`; nil takes one back.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        StoreTypes.register(storeClass as? NSPersistentStore.Type, storeType)
    }

    /// Makes a class of stores known, in the short form of newer code.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        StoreTypes.register(storeClass as? NSPersistentStore.Type, type.rawValue)
    }

    // MARK: Metadata

    /// What a store says of itself.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { lock.withLock { store.metadata } }

    /// Sets what a store says of itself. Saved with the next save of a context.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        lock.withLock {
            // Type and UUID are the store's own.
            var metadata = metadata ?? [:]
            metadata[NSStoreTypeKey] = store.type
            metadata[NSStoreUUIDKey] = store.identifier
            store.metadata = metadata
            store.hasUnsavedMetadata = true
        }
    }

    /// The metadata of a store that is not open.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreTypes.storeClass(storeType, at: url).metadata(at: url, options: options ?? [:])
    }

    /// The metadata of a store that is not open, in the short form of newer code.
    public class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Sets the metadata of a store that is not open.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreTypes.storeClass(storeType, at: url).setMetadata(metadata, at: url, options: options ?? [:])
    }
}
