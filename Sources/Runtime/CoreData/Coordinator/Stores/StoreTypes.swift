internal import Foundation
internal import RuntimeSupport

/// The store types that can be added.
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

    /// Returns the engine of a store type, or `nil` if its stores are custom ones.
    static func engine(_ type: String) -> (any BuiltInEngine.Type)? {
        (storeClass(type) as? _BuiltInStore.Type)?.engineType
    }

    private static let own: [String: NSPersistentStore.Type] = [
        NSInMemoryStoreType: InMemoryPersistentStore.self, NSSQLiteStoreType: SQLitePersistentStore.self,
        NSXMLStoreType: XMLStore.self, NSBinaryStoreType: BinaryStore.self,
    ]

    static var all: [String] { registered.types + own.keys.sorted() }

    static func makeStore(
        _ type: String, coordinator: NSPersistentStoreCoordinator, configuration: String?, url: URL?,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        if options?[NSPersistentStoreUbiquitousContentNameKey] != nil {
            Log.error("the store has options for iCloud, which Linux does not have: it is a local store")
        }
        let location = url ?? URL(fileURLWithPath: "/dev/null")
        return try storeClass(type, at: location).init(
            _opening: coordinator, configurationName: configuration, at: location, options: options)
    }

    /// Returns the class of a store type. Throws an error if it is unknown.
    static func storeClass(_ type: String, at url: URL) throws -> NSPersistentStore.Type {
        if let storeClass = storeClass(type) { return storeClass }
        throw CoreDataError.error(
            .persistentStoreInvalidType,
            text: "there are no stores of the type “\(type)” here; there are \(all.joined(separator: ", "))",
            userInfo: [NSURLErrorKey: url])
    }
}

extension NSPersistentStoreCoordinator {
    /// Registers a store class (newer spelling).
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// Returns the metadata of a store that is not open (newer spelling).
    ///
    /// - Throws: See `metadataForPersistentStore(ofType:at:options:)`.
    public class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Sets the metadata of a store that is not open (newer spelling).
    ///
    /// - Throws: See `setMetadata(_:forPersistentStoreOfType:at:options:)`.
    public class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }
}

/// A store in a SQLite file.
final class SQLitePersistentStore: _BuiltInStore, @unchecked Sendable {
    override class var _engine: AnyClass { SQLiteStore.self }
}

final class InMemoryPersistentStore: _BuiltInStore, @unchecked Sendable {
    override class var _engine: AnyClass { InMemoryStore.self }
}
