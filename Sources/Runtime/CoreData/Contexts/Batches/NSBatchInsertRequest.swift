public import Foundation

/// Inserts objects directly into the store.
///
/// Contexts are not notified, and relationships cannot be set. Properties without a value get their defaults. The
/// request fails without effect if a key is unknown or a value has the wrong class (1550), or if a required attribute
/// has no value (1570); nothing else is validated.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"], ["title": "Persuasion"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    private let requested: RequestedEntity
    private var result = NSBatchInsertRequestResultType.statusOnly

    /// Creates a request for objects of the entity with a name in the context's model.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - dictionaries: The attributes of each object by their names; `NSNull` for `nil`.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        requested = .name(entityName)
        objectsToInsert = dictionaries
        super.init()
    }

    /// Creates a request for objects of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - dictionaries: The attributes of each object by their names; `NSNull` for `nil`.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        requested = .description(entity)
        objectsToInsert = dictionaries
        super.init()
    }

    /// Creates a request that obtains objects one by one from a closure.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Fills an empty dictionary with the attributes of the next object; returns `true` to stop.
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        requested = .name(entityName)
        dictionaryHandler = handler
        super.init()
    }

    /// Creates a request that obtains objects one by one from a closure.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Fills an empty dictionary with the attributes of the next object; returns `true` to stop.
    public init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        requested = .description(entity)
        dictionaryHandler = handler
        super.init()
    }

    /// Creates a request that obtains objects one by one from a closure.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Sets the attributes of the next object, which is in no context; returns `true` to stop.
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        requested = .name(entityName)
        managedObjectHandler = handler
        super.init()
    }

    /// Creates a request that obtains objects one by one from a closure.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Sets the attributes of the next object, which is in no context; returns `true` to stop.
    public init(entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        requested = .description(entity)
        managedObjectHandler = handler
        super.init()
    }

    private init(copying other: NSBatchInsertRequest) {
        requested = other.requested
        objectsToInsert = other.objectsToInsert
        dictionaryHandler = other.dictionaryHandler
        managedObjectHandler = other.managedObjectHandler
        result = other.result
        super.init()
        affectedStores = other.affectedStores
    }

    /// The name of the entity.
    open var entityName: String { requested.name }

    /// The entity; `nil` if the request was created with its name.
    open var entity: NSEntityDescription? { requested.description }

    /// The attributes of each object by their names; `nil` if a handler provides them.
    open var objectsToInsert: [[String: Any]]?

    /// The closure that fills a dictionary with the attributes of the next object; returns `true` to stop.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

    /// The closure that sets the attributes of the next object; returns `true` to stop.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?

    /// The kind of result. The default is `.statusOnly`.
    open var resultType: NSBatchInsertRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// `batchInsertRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchInsertRequest(copying: self) }
}

/// The kind of result that a batch insertion returns. Raw values equal Apple's.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"]])
/// request.resultType = .objectIDs
/// ```
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Boolean.
    case statusOnly = 0
    /// The IDs of the new objects: an array.
    case objectIDs = 1
    /// The number of new objects.
    case count = 2
}

/// The result of a batch insertion.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"]])
/// request.resultType = .objectIDs
/// let result = try context.execute(request) as? NSBatchInsertResult
/// let inserted = result?.result as? [NSManagedObjectID] ?? []
/// ```
open class NSBatchInsertResult: NSPersistentStoreResult {
    private let value: Any
    private let type: NSBatchInsertRequestResultType

    init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
        self.type = type
        value =
            switch type {
            case .statusOnly: NSNumber(value: true)
            case .objectIDs: outcome.ids
            case .count: NSNumber(value: outcome.count)
            }
        super.init()
    }

    /// A Boolean, an array of `NSManagedObjectID`s or a number, depending on `resultType`.
    open var result: Any? { value }

    /// The kind of result.
    open var resultType: NSBatchInsertRequestResultType { type }
}
