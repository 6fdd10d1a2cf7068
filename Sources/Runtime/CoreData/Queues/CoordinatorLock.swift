/// A recursive lock whose waits take part in the deadlock detection of `WaitGraph`.
struct CoordinatorLock {
    private let queue = LendingQueue()

    /// Whether the current thread holds the lock.
    var isHeld: Bool { queue.isHeld(by: QueueThread.current) }

    /// Runs brief work with the lock held.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try queue.sync(for: nil) { _ throws(Failure) -> Result in try body() }
    }

    /// Runs an app's block with the lock held.
    func perform<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
        try queue.sync(for: nil, isBrief: false) { _ throws(Failure) -> Result in try block() }
    }
}
