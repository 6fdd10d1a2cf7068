public import Foundation
internal import RuntimeSupport

/// The base class of requests to a store, such as `NSFetchRequest` and `NSSaveChangesRequest`.
///
/// ```swift
/// let request: NSPersistentStoreRequest = NSBatchUpdateRequest(entityName: "Book")
/// request.affectedStores = coordinator.persistentStores
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    private var stores: [AnyObject]?

    /// Creates a request.
    public override init() {
        ArchivedFetchRequest.register()
        super.init()
    }

    /// The stores to search, which `affectedStores` has with their type; `nil` for all.
    var searchedStores: [AnyObject]? {
        get { stores }
        set { stores = newValue }
    }

    /// The kind of request, for stores that execute it. Traps unless overridden.
    open var requestType: NSPersistentStoreRequestType {
        abstractMethod(self, "requestType")
    }

    /// Returns a copy of the request.
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
    /// A fetch of objects, IDs, values or their number: an `NSFetchRequest`.
    case fetchRequestType = 1
    /// A save of changes: an `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// An insertion of objects directly in the store.
    case batchInsertRequestType = 5
    /// An update of all objects that match a predicate, directly in the store.
    case batchUpdateRequestType = 6
    /// A deletion of all objects that match a predicate, directly in the store.
    case batchDeleteRequestType = 7
}
