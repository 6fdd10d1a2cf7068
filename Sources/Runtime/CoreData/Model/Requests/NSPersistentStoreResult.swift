public import Foundation

/// The base class of the results of a context's `execute(_:)`.
///
/// ```swift
/// let result: NSPersistentStoreResult = try context.execute(NSBatchUpdateRequest(entityName: "Book"))
/// ```
///
/// Not thread-safe: use a result on the queue of the context that returned it.
open class NSPersistentStoreResult: NSObject {
    override init() {
        super.init()
    }
}
