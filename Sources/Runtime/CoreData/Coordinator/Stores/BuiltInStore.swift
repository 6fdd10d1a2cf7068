public import Foundation

/// A store over an engine: Apple's interface, which passes everything on.
///
/// Public only for the modules of other stores, because `package` classes cannot be subclassed in another module. Each
/// engine has a class of stores that is not generic: `NSStringFromClass` traps on the name of a generic class.
open class _BuiltInStore: NSPersistentStore, @unchecked Sendable {
    private lazy var own = makeEngine()

    /// The class of the engine, which conforms to `BuiltInEngine`.
    open class var _engine: AnyClass { preconditionFailure("\(self) does not override _engine") }

    final class var engineType: any BuiltInEngine.Type {
        guard let type = _engine as? any BuiltInEngine.Type else { preconditionFailure("\(_engine) is not an engine") }
        return type
    }

    private func makeEngine() -> any BuiltInEngine { Self.engineType.init(environment) }

    /// Creates a store. Called by the coordinator.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        environment.storeType = Self.engineType.storeType
        // Later, several threads may use it.
        _ = own
    }

    override final var engine: any StoreEngine { own }

    /// The type of the store.
    public final override var type: String { Self.engineType.storeType }

    /// Reads the metadata when the store is added.
    ///
    /// - Throws: An `NSError` of Cocoa's domain, such as `NSPersistentStoreOpenError` (134080) if the store cannot be
    ///   opened.
    public final override func loadMetadata() throws { try own.loadMetadata() }

    override final func relocate(to url: URL) -> Bool { own.relocate(to: url) }

    /// Closes the store.
    public final override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { own.close() }

    // MARK: Stores that are not open

    /// Returns the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSPersistentStoreOperationError` (134070) if stores of the type have
    ///   no metadata; otherwise the reason why they cannot be read.
    public final override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try engineType.metadata(at: url, options: [:])
    }

    /// Sets the metadata of a store that is not open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSPersistentStoreOperationError` (134070) if stores of the type have
    ///   no metadata; otherwise the reason why they cannot be written.
    public final override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try engineType.setMetadata(metadata ?? [:], at: url, options: [:])
    }

    override final class func metadata(at url: URL, options: [AnyHashable: Any]) throws -> [String: Any] {
        try engineType.metadata(at: url, options: options)
    }

    override final class func setMetadata(_ metadata: [String: Any]?, at url: URL, options: [AnyHashable: Any]) throws {
        try engineType.setMetadata(metadata ?? [:], at: url, options: options)
    }

    override final class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        try engineType.destroyStore(at: url, options: options)
    }

    override final class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        try engineType.replaceStore(at: url, options: options, withStoreAt: source, sourceOptions: sourceOptions)
    }
}
