public import Foundation
internal import RuntimeSupport

/// The settings of a store that a container loads.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/Books.sqlite"))
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// container.persistentStoreDescriptions = [description]
/// ```
///
/// Not thread-safe until it is passed to a container.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    private var values: Values
    /// The store that was last added with the description, until the completion handler is called.
    final weak var addedStore: NSPersistentStore?

    private struct Values {
        var type = NSSQLiteStoreType
        var configuration: String?
        var url: URL?
        var options: [String: NSObject] = [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        ]
        var isAsynchronous = false
        var pragmas: [String: NSObject] = [:]
        var cloudKitOptions: NSPersistentCloudKitContainerOptions?
    }

    /// Creates a description of a SQLite store at a URL. `/dev/null` stands for an in-memory database.
    public init(url: URL) {
        values = Values()
        values.url = url
        super.init()
    }

    /// Creates a description of a store without a URL, such as an in-memory store.
    public override init() {
        values = Values()
        super.init()
    }

    private init(_ values: Values) {
        self.values = values
        super.init()
    }

    /// The store's type. The default is `NSSQLiteStoreType`.
    open var type: String {
        get { values.type }
        set { values.type = newValue }
    }

    /// The configuration whose entities the store holds; `nil` for all.
    open var configuration: String? {
        get { values.configuration }
        set { values.configuration = newValue }
    }

    /// The location of the store.
    open var url: URL? {
        get { values.url }
        set { values.url = newValue }
    }

    /// The store's options.
    open var options: [String: NSObject] {
        var options = values.options
        if !values.pragmas.isEmpty {
            options[NSSQLitePragmasOption] = values.pragmas as NSDictionary
        }
        return options
    }

    /// Sets an option; `nil` removes it.
    open func setOption(_ option: NSObject?, forKey key: String) { values.options[key] = option }

    /// Whether the store is read-only. The default is `false`.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { values.options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// The time, in seconds, for which the store waits for other connections to release their locks. The default is
    /// 240; a store that is added without a description waits 5 seconds.
    open var timeout: TimeInterval {
        get {
            (values.options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
        }
        set { values.options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// The pragmas for SQLite.
    open var sqlitePragmas: [String: NSObject] { values.pragmas }

    /// Sets a pragma for SQLite; `nil` removes it.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { values.pragmas[name] = value }

    /// Whether the store is loaded on another thread. The default is `false`.
    open var shouldAddStoreAsynchronously: Bool {
        get { values.isAsynchronous }
        set { values.isAsynchronous = newValue }
    }

    /// Whether a store of an older version of the model is migrated. The default is `true`.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { values.options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether a mapping model is inferred if none is found. The default is `true`.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { values.options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// The options with which `NSPersistentCloudKitContainer` mirrors the store on Apple's platforms. Stored without
    /// effect. The default is `nil`.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
        get { values.cloudKitOptions }
        set { values.cloudKitOptions = newValue }
    }

    private func flag(_ key: String) -> Bool { (values.options[key] as? NSNumber)?.boolValue ?? false }

    /// Returns a copy of the description.
    open func copy(with zone: NSZone? = nil) -> Any { NSPersistentStoreDescription(values) }

    /// The type and URL, for debugging.
    open override var description: String {
        "<NSPersistentStoreDescription> (type: \(type), url: \((url.map(Redaction.url))?.absoluteString ?? "(null)"))"
    }
}
