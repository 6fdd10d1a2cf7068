internal import Foundation

/// The queue that a context is used on: the main queue or a private one.
final class ContextQueue: @unchecked Sendable {
    let queue: LendingQueue
    private let confinement: Thread?
    /// The number of ancestor contexts. If several threads could be let in, the one that calls its parent goes first.
    /// Guarded by `WaitGraph`.
    private(set) var depth = 0

    /// - Parameters:
    ///   - queue: Where the queue's blocks run.
    ///   - thread: The only thread that may use the context; `nil` for any that holds the queue.
    init(_ queue: LendingQueue, confinedTo thread: Thread? = nil) {
        self.queue = queue
        confinement = thread
    }

    /// Whether the current code runs on the main queue. This need not be the main thread: `dispatchMain()` gives that
    /// up.
    static var isMain: Bool { LendingQueue.main.isHeld(by: .current) }

    /// The owner of the block that the current code is part of; `nil` outside of `perform` and `performAndWait`.
    static var currentOwner: AnyObject? { QueueThread.current.block?.owner.takeUnretainedValue() }

    /// Runs a block of the queue's owner on the current thread.
    func run<Result, Failure: Error>(
        for owner: AnyObject, _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = QueueThread.current
        let outer = thread.block
        thread.block = QueueThread.Block(owner: .passUnretained(owner), queue: .passUnretained(self))
        defer { thread.block = outer }
        return try block()
    }

    /// Places the queue below its parent context's.
    func setParent(_ parent: ContextQueue) { WaitGraph.lock.withLock { depth = parent.depth + 1 } }

    /// Whether the current code may use the context.
    var isCurrent: Bool {
        if let confinement { return Thread.current === confinement }
        let thread = QueueThread.current
        return queue.isHeld(by: thread) || thread.isCalled(from: queue)
    }

    /// Runs a block asynchronously.
    func async(_ block: @escaping () -> Void) { queue.async(block) }

    /// Runs a block and waits for it.
    ///
    /// - Parameter block: The work. Its argument is whether no other code on the queue is waiting for it to end.
    func sync<Result, Failure: Error>(_ block: (_ isOutermost: Bool) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        if let confinement { return try block(Thread.current !== confinement) }
        return try queue.sync(for: self, block)
    }

    /// Runs code that asks another context for a value this context is about to use. While it waits, other threads are
    /// not let into this context unless that is the only way out of a deadlock.
    func performingRequest<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = QueueThread.current
        thread.requesters.append(self)
        defer { thread.requesters.removeLast() }
        return try body()
    }
}
