public import Foundation

/// The deletion of all objects that a fetch request finds, in the store directly: no context knows of it, and nothing is validated.
///
/// It is given to `execute(_:)` of a context; contexts hear of the deletions by `mergeChanges(fromRemoteContextSave:into:)`. Not
/// thread-safe: a request belongs to whoever makes it.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    private var result = NSBatchDeleteRequestResultType.resultTypeStatusOnly
    /// The objects that the request was made of; nil when a fetch request finds them.
    final let objectIDs: [NSManagedObjectID]?

    /// Makes a request to delete what a fetch request finds: its predicate, order, limit and offset count.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        request = NSFetchRequest(settings: fetch.settings)
        objectIDs = nil
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Makes a request to delete what a fetch request finds, of any type: Swift's generic classes cannot be cast to one another.
    public convenience init<T>(fetchRequest fetch: NSFetchRequest<T>) {
        self.init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(settings: fetch.settings))
    }

    /// Makes a request to delete objects. IDs of different entities stop the program, and so do temporary ones.
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

    /// What finds the objects.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { request }

    /// What the result is. `.resultTypeStatusOnly` unless set.
    open var resultType: NSBatchDeleteRequestResultType {
        get { result }
        set { result = newValue }
    }

    /// `batchDeleteRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// A request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchDeleteRequest(copying: self) }
}

/// What the result of a batch deletion is, with the values of Apple's framework.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it was done: a Boolean.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects: an array.
    case resultTypeObjectIDs = 1
    /// The number of deleted objects.
    case resultTypeCount = 2
}

/// What came of a batch deletion.
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

    /// A Boolean, an array of `NSManagedObjectID`s or a number, as `resultType` says.
    open var result: Any? { value }

    /// What the result is.
    open var resultType: NSBatchDeleteRequestResultType { type }
}
