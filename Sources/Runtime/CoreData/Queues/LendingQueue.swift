internal import CCoreDataSupport
internal import Foundation
internal import RuntimeSupport

/// Runs the code of a context or coordinator on one thread at a time: blocks in FIFO order, and waiting callers.
///
/// A caller that finds the queue free runs its block on its own thread. Only the main queue is bound to a thread, that
/// of the main queue.
///
/// Threads may wait for each other in a cycle: the main thread for a child context's queue, on which a merge asks the
/// child's parent on the main queue. `WaitGraph` finds the cycle when it closes and lets one of the threads in: on the
/// main queue its block runs on the waiting main thread; any other queue is lent to the thread. The holder of the queue
/// stays blocked until the other thread is done, so two threads never run a queue's code at the same time.
final class LendingQueue: @unchecked Sendable {
    /// A pending block or a waiting caller's request.
    enum Item {
        case block(() -> Void)
        case request(QueueRequest)
    }

    static let main: LendingQueue = {
        let queue = LendingQueue(isMain: true)
        DispatchQueue.main.setSpecific(key: mainKey, value: true)
        return queue
    }()
    private static let mainKey = DispatchSpecificKey<Bool>()

    /// The address of the thread that holds the queue; 0 for none. The lowest bit is set if `pending` must be checked
    /// before the queue is released; it is set alone while blocks wait for a thread.
    private let state = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    private static let contended: UInt = 1

    /// The blocks and requests that wait for the queue, in order. Guarded by `WaitGraph`.
    private var pending: [Item] = []
    private var firstPending = 0
    /// Provides threads for blocks.
    private lazy var dispatchQueue = DispatchQueue(label: "NSManagedObjectContext")

    let isMain: Bool

    init(isMain: Bool = false) {
        self.isMain = isMain
        state.initialize(to: 0)
    }

    deinit { state.deallocate() }

    /// Returns whether a thread holds the queue. For the main queue, only the current thread counts.
    func isHeld(by thread: QueueThread) -> Bool {
        if isMain { return Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true }
        return cd_load(state) & ~Self.contended == thread.address
    }

    // MARK: Running

    /// Runs a block asynchronously.
    func async(_ block: @escaping () -> Void) {
        if isMain {
            let work = SendableBox(block)
            return DispatchQueue.main.async { work.value() }
        }
        WaitGraph.lock.withLock {
            pending.append(.block(block))
            if !becomeContended() { schedule() }
        }
    }

    /// Runs a block and waits for it: on the main queue's thread for the main queue, otherwise on the caller's.
    ///
    /// - Parameters:
    ///   - user: The context queue that is entered; `nil` for a coordinator.
    ///   - isBrief: For a coordinator, whether the work is known to be short, unlike an app's block.
    ///   - block: The work. Its argument is whether no other code on the queue is waiting for it to end.
    func sync<Result, Failure: Error>(
        for user: ContextQueue?, isBrief: Bool = true, _ block: (_ isOutermost: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = QueueThread.current
        if isHeld(by: thread) { return try block(false) }
        if isMain { return try syncMain(thread, user: user, block: block) }
        var lender: QueueRequest?
        if !cd_replace_acquiring(state, 0, thread.address) {
            // A context that uses the coordinator is in the middle of an operation.
            let isPerformingRequest = user == nil && isBrief
            if isPerformingRequest { thread.requesters.append(thread.block?.queue.takeUnretainedValue()) }
            let request = acquireSlowly(thread, user)
            if isPerformingRequest { thread.requesters.removeLast() }
            guard let request else { return try block(false) }
            lender = request.lender
        }
        defer { release(thread, lender) }
        return try block(lender == nil)
    }

    private func syncMain<Result, Failure: Error>(
        _ thread: QueueThread, user: ContextQueue?, block: (_ isOutermost: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        withoutActuallyEscaping(block) { block in
            let request = QueueRequest(self, for: user, thread) { isOutermost in
                do throws(Failure) {
                    result = .success(try block(isOutermost))
                } catch {
                    result = .failure(error)
                }
            }
            DispatchQueue.main.async { request.run() }
            WaitGraph.lock.withLock { WaitGraph.wait(for: request) }
            request.work = nil
        }
        guard let result else { misuse("a block of performAndWait did not run") }
        return try result.get()
    }

    // MARK: Holding

    /// Waits for the queue.
    ///
    /// - Returns: The granted request; `nil` if the thread already holds the queue.
    private func acquireSlowly(_ thread: QueueThread, _ user: ContextQueue?) -> QueueRequest? {
        WaitGraph.lock.withLock {
            // A wait that a visit has interrupted may have been granted since the caller looked.
            if isHeld(by: thread) { return nil }
            let request = QueueRequest(self, for: user, thread, work: nil)
            pending.append(.request(request))
            if becomeContended() { WaitGraph.wait(for: request) } else { handOver() }
            return request
        }
    }

    /// Requires the queue's holder to check `pending` before releasing the queue. Returns `false` if the queue was
    /// free, in which case the caller now holds it.
    private func becomeContended() -> Bool {
        while true {
            let current = cd_load(state)
            if current & Self.contended != 0 { return true }
            let new = current | Self.contended
            if cd_replace(state, current, new) { return current != 0 }
        }
    }

    private func release(_ thread: QueueThread, _ lender: QueueRequest?) {
        if lender == nil, cd_replace_releasing(state, thread.address, 0) { return }
        WaitGraph.lock.withLock {
            guard let lender else { return handOver() }
            cd_store_releasing(state, lender.thread.address | Self.contended)
            // The lender may be waiting for the queue again, in a visit that began while it was lent.
            if let request = takeRequest(of: lender.thread, since: lender) { request.grant(heldFor: lender) }
            lender.reclaim(from: thread)
        }
    }

    /// Passes the queue to the next item. Called with the lock held.
    private func handOver() {
        switch next {
        case nil: cd_store_releasing(state, 0)
        case .block: schedule()
        case .request(let request):
            // The main thread may wait for the queue several times, in visits. The last of these waits ends first.
            if let last = takeRequest(of: request.thread) { return give(to: last) }
            removeNext()
            give(to: request)
        }
    }

    private func schedule() {
        cd_store_releasing(state, Self.contended)
        dispatchQueue.async { self.runBlocks() }
    }

    /// Runs blocks until a caller is next.
    private func runBlocks() {
        let thread = QueueThread.current
        while let block = nextBlock(thread) { block() }
    }

    /// Returns the next block, or `nil` if the queue was passed on.
    private func nextBlock(_ thread: QueueThread) -> (() -> Void)? {
        WaitGraph.lock.withLock {
            guard case .block(let block) = next else {
                handOver()
                return nil
            }
            removeNext()
            cd_store_releasing(state, thread.address | Self.contended)
            return block
        }
    }

    // MARK: Pending items

    private var next: Item? { firstPending < pending.count ? pending[firstPending] : nil }

    private func removeNext() {
        // Releases what the block captures.
        pending[firstPending] = .block({})
        firstPending += 1
        if firstPending == pending.count || firstPending > 64 {
            pending.removeFirst(firstPending)
            firstPending = 0
        }
    }

    /// Removes and returns the last request for this queue that a thread is waiting for or has interrupted for a visit.
    ///
    /// - Parameter first: A wait of the thread; only later ones count.
    private func takeRequest(of thread: QueueThread, since first: QueueRequest? = nil) -> QueueRequest? {
        guard thread.level > (first?.level ?? 0) + 1 else { return nil }
        let index = pending.indices.last { index in
            guard case .request(let request) = pending[index] else { return false }
            return request.thread === thread && request.level > first?.level ?? -1
        }
        guard let index, case .request(let request) = pending[index] else { return nil }
        if index == firstPending { removeNext() } else { pending.remove(at: index) }
        return request
    }

    /// The thread that holds the queue, if it may be waiting itself. Called with the lock held, for a contended queue.
    var holder: QueueThread? {
        if isMain { return WaitGraph.mainThread }
        let address = cd_load_acquiring(state) & ~Self.contended
        return UnsafeRawPointer(bitPattern: address).map { Unmanaged<QueueThread>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Lends the queue to a thread while its holder waits. Called with the lock held.
    func lend(to request: QueueRequest) {
        pending.removeAll { item in
            if case .request(request) = item { true } else { false }
        }
        give(to: request)
    }

    private func give(to request: QueueRequest) {
        cd_store_releasing(state, request.thread.address | Self.contended)
        request.grant()
    }
}

private func ~= (pattern: QueueRequest, value: QueueRequest) -> Bool { pattern === value }
