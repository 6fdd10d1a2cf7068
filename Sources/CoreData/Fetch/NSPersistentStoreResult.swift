public import Foundation

/// The base class of results that `execute(_:)` of a context returns.
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

/// The pending result of a request that runs in the background.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest(), completionBlock: nil)
/// let result = try context.execute(request) as? NSPersistentStoreAsynchronousResult
/// print(result?.progress?.fractionCompleted ?? 0)
/// ```
///
/// Use it on the context's queue, except for `cancel()` and `progress`, which are thread-safe.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    private let context: NSManagedObjectContext
    private let observed: Progress?
    private var error: (any Error)?
    private let cancellation = CancellationFlag()

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        self.context = context
        observed = progress
        super.init()
    }

    /// The context that the request was given to.
    open var managedObjectContext: NSManagedObjectContext { context }

    /// Why the request failed; nil when it did not, or is not done. Of a cancelled request an error of Cocoa's domain with the
    /// code 3072 (`NSUserCancelledError`).
    open internal(set) var operationError: (any Error)? {
        get { error }
        set { error = newValue }
    }

    /// How far the request is: a child of what is the current `Progress` when the request is given to the context; nil without
    /// one. Cancelling it cancels the request.
    open var progress: Progress? { observed }

    /// Asks that the request be given up. It is called back with `operationError`, unless its results are there already.
    open func cancel() {
        cancellation.set()
        observed?.cancel()
    }

    /// Whether the request is to be given up.
    final var isCancelled: Bool { cancellation.isSet || observed?.isCancelled == true }
}

/// Set once, from any thread.
private final class CancellationFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
