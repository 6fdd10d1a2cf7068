public import Foundation
internal import RuntimeSupport

/// Deletes all objects that a fetch request matches, directly in the store.
///
/// Contexts are not notified and nothing is validated. Pass the deleted IDs to
/// `mergeChanges(fromRemoteContextSave:into:)` to update contexts.
///
/// ```swift
/// let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// let deleted = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [context])
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    private var result = NSBatchDeleteRequestResultType.resultTypeStatusOnly
    /// The objects that the request was created with; `nil` if a fetch request finds them.
    final let objectIDs: [NSManagedObjectID]?

    /// Creates a request to delete the objects that a fetch request matches, including its order, limit and offset.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        request = NSFetchRequest(settings: fetch.settings)
        objectIDs = nil
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Creates a request to delete the objects that a fetch request with any result type matches. Swift cannot cast
    /// generic classes to each other.
    public convenience init<T>(fetchRequest fetch: NSFetchRequest<T>) {
        self.init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(settings: fetch.settings))
    }

    /// Creates a request to delete objects. Traps on IDs of different entities and on temporary IDs.
    public init(objectIDs objects: [NSManagedObjectID]) {
        if objects.contains(where: \.isTemporaryID) {
            misuse("NSInvalidArgumentException", "a batch delete takes no temporary IDs: their objects are in no store")
        }
        let entity = objects.first?.entity
        if let entity, !objects.allSatisfy({ $0.entity.name == entity.name }) {
            misuse("NSInvalidArgumentException", "mismatched objectIDs in batch delete initializer")
        }
        var settings = FetchSettings()
        settings.entity = entity
        settings.predicate = NSPredicate(format: "SELF IN %@", objects)
        request = NSFetchRequest(settings: settings)
        objectIDs = objects
        super.init()
    }

    private init(copying other: NSBatchDeleteRequest) {
        request = NSFetchRequest(settings: other.request.settings)
        objectIDs = other.objectIDs
        result = other.result
        super.init()
        affectedStores = other.affectedStores
    }

    /// The request that matches the objects to delete.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { request }

    /// The kind of result. The default is `.resultTypeStatusOnly`.
    open var resultType: NSBatchDeleteRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// `batchDeleteRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchDeleteRequest(copying: self) }
}

/// The kind of result that a batch deletion returns. Raw values equal Apple's.
///
/// ```swift
/// let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
/// request.resultType = .resultTypeCount
/// ```
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether the request succeeded: a Boolean.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects: an array.
    case resultTypeObjectIDs = 1
    /// The number of deleted objects.
    case resultTypeCount = 2
}

/// The result of a batch deletion.
///
/// ```swift
/// let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
/// request.resultType = .resultTypeCount
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// print(result?.result as? Int ?? 0)  // prints 2
/// ```
open class NSBatchDeleteResult: NSPersistentStoreResult {
    private let value: Any
    private let type: NSBatchDeleteRequestResultType

    init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
        self.type = type
        value =
            switch type {
            case .resultTypeStatusOnly: NSNumber(value: true)
            case .resultTypeObjectIDs: outcome.ids
            case .resultTypeCount: NSNumber(value: outcome.count)
            }
        super.init()
    }

    /// A Boolean, an array of `NSManagedObjectID`s or a number, depending on `resultType`.
    open var result: Any? { value }

    /// The kind of result.
    open var resultType: NSBatchDeleteRequestResultType { type }
}
