public import Foundation

/// Sets properties of all objects that match a predicate, directly in the store.
///
/// Contexts are not notified and nothing is validated. Pass the IDs of the changed objects to
/// `mergeChanges(fromRemoteContextSave:into:)` to update contexts.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Book")
/// request.predicate = NSPredicate(format: "rating == 0")
/// request.propertiesToUpdate = ["isFinished": false]
/// request.resultType = .updatedObjectsCountResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private let requested: RequestedEntity
    private var condition: NSPredicate?
    private var includesOthers = true
    private var result = NSBatchUpdateRequestResultType.statusOnlyResultType
    private var values: [AnyHashable: Any]?

    /// Creates a request for objects of the entity with a name in the context's model.
    public init(entityName: String) {
        requested = .name(entityName)
        super.init()
    }

    /// Creates a request for objects of an entity.
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

    /// The entity; `nil` if the request was created with its name.
    open var entity: NSEntityDescription? { requested.description }

    /// The condition that objects to update must meet; `nil` for all objects.
    open var predicate: NSPredicate? {
        get { condition }
        set { condition = newValue }
    }

    /// Whether objects of subentities are included. The default is `true`.
    open var includesSubentities: Bool {
        get { includesOthers }
        set { includesOthers = newValue }
    }

    /// The kind of result. The default is `.statusOnlyResultType`.
    open var resultType: NSBatchUpdateRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// The new values of attributes and to-one relationships, by their names or descriptions: constants, `NSNull` for
    /// no value, or `NSExpression`s that are evaluated with each object's old values.
    open var propertiesToUpdate: [AnyHashable: Any]? {
        get { values }
        set { values = newValue }
    }

    /// `batchUpdateRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchUpdateRequest(copying: self) }
}

/// The kind of result that a batch update returns. Raw values equal Apple's.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Book")
/// request.resultType = .updatedObjectIDsResultType
/// ```
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Boolean.
    case statusOnlyResultType = 0
    /// The IDs of the changed objects: an array.
    case updatedObjectIDsResultType = 1
    /// The number of changed objects.
    case updatedObjectsCountResultType = 2
}

/// The result of a batch update.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Book")
/// request.propertiesToUpdate = ["rating": 0]
/// request.resultType = .updatedObjectsCountResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// print(result?.result as? Int ?? 0)  // prints 2
/// ```
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

    /// A Boolean, an array of `NSManagedObjectID`s or a number, depending on `resultType`.
    open var result: Any? { value }

    /// The kind of result.
    open var resultType: NSBatchUpdateRequestResultType { type }
}
