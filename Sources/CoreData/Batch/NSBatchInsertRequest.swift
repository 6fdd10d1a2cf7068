public import Foundation

/// New objects that are written into the store directly: no context knows of them, and relationships cannot be set. Properties that
/// are not named get their defaults. Executing the request fails, without effect, if a key is unknown or a value has the wrong
/// class (1550), or a required attribute has no value (1570); nothing else is validated.
///
/// It is given to `execute(_:)` of a context; contexts hear of the objects by `mergeChanges(fromRemoteContextSave:into:)`. Not
/// thread-safe: a request belongs to whoever makes it.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    private let requested: RequestedEntity
    private var result = NSBatchInsertRequestResultType.statusOnly

    /// Makes a request for objects of an entity that the context's model is asked for.
    ///
    /// - Parameters:
    ///   - entityName: the name of the entity.
    ///   - dictionaries: the attributes of each object by their names; `NSNull` for no value.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        requested = .name(entityName)
        objectsToInsert = dictionaries
        super.init()
    }

    /// Makes a request for objects of an entity.
    ///
    /// - Parameters:
    ///   - entity: the entity.
    ///   - dictionaries: the attributes of each object by their names; `NSNull` for no value.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        requested = .description(entity)
        objectsToInsert = dictionaries
        super.init()
    }

    /// Makes a request that asks for one object after the other.
    ///
    /// - Parameters:
    ///   - entityName: the name of the entity.
    ///   - handler: fills an empty dictionary with the attributes of the next object; true when there is none.
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        requested = .name(entityName)
        dictionaryHandler = handler
        super.init()
    }

    /// Makes a request that asks for one object after the other.
    ///
    /// - Parameters:
    ///   - entity: the entity.
    ///   - handler: fills an empty dictionary with the attributes of the next object; true when there is none.
    public init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        requested = .description(entity)
        dictionaryHandler = handler
        super.init()
    }

    /// Makes a request that asks for one object after the other.
    ///
    /// - Parameters:
    ///   - entityName: the name of the entity.
    ///   - handler: sets the attributes of the next object, which is in no context; true when there is none.
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        requested = .name(entityName)
        managedObjectHandler = handler
        super.init()
    }

    /// Makes a request that asks for one object after the other.
    ///
    /// - Parameters:
    ///   - entity: the entity.
    ///   - handler: sets the attributes of the next object, which is in no context; true when there is none.
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

    /// The entity; nil when the request only knows its name.
    open var entity: NSEntityDescription? { requested.description }

    /// The attributes of each object by their names; nil when a handler gives them.
    open var objectsToInsert: [[String: Any]]?

    /// What fills a dictionary with the attributes of the next object; true when there is none.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

    /// What sets the attributes of the next object; true when there is none.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?

    /// What the result is. `.statusOnly` unless set.
    open var resultType: NSBatchInsertRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// `batchInsertRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// A request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchInsertRequest(copying: self) }
}

/// What the result of a batch insertion is, with the values of Apple's framework.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it was done: a Boolean.
    case statusOnly = 0
    /// The IDs of the new objects: an array.
    case objectIDs = 1
    /// The number of new objects.
    case count = 2
}

/// What came of a batch insertion.
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

    /// A Boolean, an array of `NSManagedObjectID`s or a number, as `resultType` says.
    open var result: Any? { value }

    /// What the result is.
    open var resultType: NSBatchInsertRequestResultType { type }
}
