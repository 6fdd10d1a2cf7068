public import Foundation

/// The base class of requests to a store, such as `NSFetchRequest` and `NSSaveChangesRequest`.
///
/// ```swift
/// let request: NSPersistentStoreRequest = NSBatchUpdateRequest(entityName: "Book")
/// request.affectedStores = coordinator.persistentStores
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    private var stores: [NSPersistentStore]?

    /// Creates a request.
    public override init() {
        ArchivedFetchRequest.register()
        super.init()
    }

    /// The stores to search; nil for all.
    open var affectedStores: [NSPersistentStore]? {
        get { stores }
        set { stores = newValue }
    }

    /// What kind of request this is, for stores that carry it out. A subclass that does not say traps.
    open var requestType: NSPersistentStoreRequestType {
        abstractMethod(self, "requestType")
    }

    /// Returns a request that asks for the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.stores = stores
        return copy
    }
}

/// The kinds of requests. Raw values equal Apple's.
///
/// ```swift
/// func check(_ request: NSPersistentStoreRequest) throws {
///     guard request.requestType == .fetchRequestType || request.requestType == .saveRequestType else {
///         throw CocoaError(.persistentStoreUnsupportedRequestType)
///     }
/// }
/// ```
///
/// A custom store must expect unknown kinds and reject them with an error with the code 134091.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Objects, IDs, values or their number: an `NSFetchRequest`.
    case fetchRequestType = 1
    /// Changes are to be written: an `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// New objects, without a context.
    case batchInsertRequestType = 5
    /// New values for all objects that meet a predicate, without a context.
    case batchUpdateRequestType = 6
    /// The deletion of all objects that meet a predicate, without a context.
    case batchDeleteRequestType = 7
}
