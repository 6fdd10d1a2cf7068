public import Foundation

/// New values for all objects that meet a predicate, written into the store directly: no context knows of them, and nothing is
/// validated.
///
/// It is given to `execute(_:)` of a context; contexts hear of the changes by `mergeChanges(fromRemoteContextSave:into:)`. Not
/// thread-safe: a request belongs to whoever makes it.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private let requested: RequestedEntity
    private var condition: NSPredicate?
    private var includesOthers = true
    private var result = NSBatchUpdateRequestResultType.statusOnlyResultType
    private var values: [AnyHashable: Any]?

    /// Makes a request for objects of an entity that the context's model is asked for.
    public init(entityName: String) {
        requested = .name(entityName)
        super.init()
    }

    /// Makes a request for objects of an entity.
    public init(entity: NSEntityDescription) {
        requested = .description(entity)
        super.init()
    }

    private init(copying other: NSBatchUpdateRequest) {
        requested = other.requested
        condition = other.condition
        includesOthers = other.includesOthers
        result = other.result
        values = other.values
        super.init()
        affectedStores = other.affectedStores
    }

    /// The name of the entity.
    open var entityName: String { requested.name }

    /// The entity; nil when the request only knows its name.
    open var entity: NSEntityDescription? { requested.description }

    /// Which objects get the values; nil for all.
    open var predicate: NSPredicate? {
        get { condition }
        set { condition = newValue }
    }

    /// Whether objects of subentities are meant too. True unless set.
    open var includesSubentities: Bool {
        get { includesOthers }
        set { includesOthers = newValue }
    }

    /// What the result is. `.statusOnlyResultType` unless set.
    open var resultType: NSBatchUpdateRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// The new values of attributes and to-one relationships, by their names or descriptions: constants, `NSNull` for no value,
    /// or `NSExpression`s that are asked of each object as it was.
    open var propertiesToUpdate: [AnyHashable: Any]? {
        get { values }
        set { values = newValue }
    }

    /// `batchUpdateRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// A request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchUpdateRequest(copying: self) }
}

/// What the result of a batch update is, with the values of Apple's framework.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it was done: a Boolean.
    case statusOnlyResultType = 0
    /// The IDs of the changed objects: an array.
    case updatedObjectIDsResultType = 1
    /// The number of changed objects.
    case updatedObjectsCountResultType = 2
}

/// What came of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    private let value: Any
    private let type: NSBatchUpdateRequestResultType

    init(_ outcome: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
        self.type = type
        value =
            switch type {
            case .statusOnlyResultType: NSNumber(value: true)
            case .updatedObjectIDsResultType: outcome.ids
            case .updatedObjectsCountResultType: NSNumber(value: outcome.count)
            }
        super.init()
    }

    /// A Boolean, an array of `NSManagedObjectID`s or a number, as `resultType` says.
    open var result: Any? { value }

    /// What the result is.
    open var resultType: NSBatchUpdateRequestResultType { type }
}
