internal import Foundation

/// A store of this module: Apple's interface over an engine.
///
/// Each engine has a class of stores that is not generic: `NSStringFromClass` traps on the name of a generic class.
class BuiltInStore<Engine: BuiltInEngine>: NSPersistentStore, @unchecked Sendable {
    private lazy var own = Engine(environment)

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        environment.storeType = Engine.storeType
        // Later, several threads may use it.
        _ = own
    }

    override final var engine: any StoreEngine { own }

    override final var type: String { Engine.storeType }

    override final func loadMetadata() throws { try own.loadMetadata() }

    override final func relocate(to url: URL) -> Bool { own.relocate(to: url) }

    override final func willRemove(from coordinator: NSPersistentStoreCoordinator?) { own.close() }

    // MARK: Stores that are not open

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try Engine.metadata(at: url, options: [:])
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try Engine.setMetadata(metadata ?? [:], at: url, options: [:])
    }

    override class func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try Engine.metadata(at: url, options: options)
    }

    override class func setMetadata(_ metadata: [String: Any]?, at url: URL, options: [AnyHashable: Any]) throws {
        try Engine.setMetadata(metadata ?? [:], at: url, options: options)
    }

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        try Engine.destroyStore(at: url, options: options)
    }

    override class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        try Engine.replaceStore(at: url, options: options, withStoreAt: source, sourceOptions: sourceOptions)
    }
}
