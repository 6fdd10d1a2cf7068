public import Foundation

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

    /// The context that executes the request.
    open var managedObjectContext: NSManagedObjectContext { context }

    /// The error with which the request failed; `nil` if it succeeded or is still running. For a cancelled request, an
    /// error of Cocoa's domain with the code 3072 (`NSUserCancelledError`).
    open internal(set) var operationError: (any Error)? {
        get { error }
        set { error = newValue }
    }

    /// The progress of the request: a child of the `Progress` that was current when the request was executed; `nil` if
    /// there was none. Cancelling it cancels the request.
    open var progress: Progress? { observed }

    /// Cancels the request. Unless it has already finished, its completion block is called with an `operationError`.
    open func cancel() {
        cancellation.set()
        observed?.cancel()
    }

    final var isCancelled: Bool { cancellation.isSet || observed?.isCancelled == true }
}

/// A thread-safe flag that is set once.
private final class CancellationFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
