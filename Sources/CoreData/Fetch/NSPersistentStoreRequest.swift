public import Foundation

/// What a store can be asked for. A base class: `NSFetchRequest` and `NSSaveChangesRequest` are such requests.
///
/// Not thread-safe: a request belongs to whoever makes it.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    private var stores: [NSPersistentStore]?

    /// Makes a request.
    public override init() {
        ArchivedFetchRequest.register()
        super.init()
    }

    /// The stores that are asked; nil for all.
    open var affectedStores: [NSPersistentStore]? {
        get { stores }
        set { stores = newValue }
    }

    /// What kind of request this is, for stores that carry it out. A subclass that does not say stops the program.
    open var requestType: NSPersistentStoreRequestType {
        abstractMethod(self, "requestType")
    }

    /// A request that asks for the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.stores = stores
        return copy
    }
}

/// The kinds of requests, with the values of Apple's framework. A store must expect kinds that it does not know, and refuse
/// them with an error of the code 134091.
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
