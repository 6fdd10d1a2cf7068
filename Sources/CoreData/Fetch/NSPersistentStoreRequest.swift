public import Foundation

/// What a store can be asked for. A base class: `NSFetchRequest` is one.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// Makes a request.
    public override init() {
        super.init()
    }

    /// A request that asks for the same.
    open func copy(with zone: NSZone? = nil) -> Any { NSPersistentStoreRequest() }
}
