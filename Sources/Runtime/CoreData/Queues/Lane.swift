internal import Foundation
internal import RuntimeSupport
internal import Synchronization

/// Runs the code of a context or coordinator on one thread at a time: blocks in FIFO order, and waiting callers.
///
/// A caller that finds the lane free runs its block on its own thread. Only the main lane is bound to a thread, that of the
/// main queue.
///
/// Threads may wait for each other in a circle: the main thread for a child context's lane, on which a merge asks the
/// child's parent on the main queue. `LaneWaits` finds the circle when it closes and lets one of the threads in: on the
/// main lane its block runs on the waiting main thread; any other lane is lent to the thread. The holder of the lane
/// stays blocked until the other thread is done, so two threads never run a lane's code at the same time.
final class Lane: @unchecked Sendable {
    /// A pending block or a waiting caller's request.
    enum Item {
        case block(() -> Void)
        case request(LaneRequest)
    }

    /// The lane of the main queue.
    static let main: Lane = {
        let lane = Lane(isMain: true)
        DispatchQueue.main.setSpecific(key: mainKey, value: true)
        return lane
    }()
    private static let mainKey = DispatchSpecificKey<Bool>()

    /// The address of the worker that holds the lane; 0 for none. The lowest bit is set if `pending` must be checked
    /// before the lane is released; it is set alone while blocks wait for a thread.
    private let state = Atomic<UInt>(0)
    private static let contended: UInt = 1

    /// The blocks and requests that wait for the lane, in order. Guarded by `LaneWaits`.
    private var pending: [Item] = []
    private var firstPending = 0
    /// The queue that provides threads for blocks.
    private lazy var queue = DispatchQueue(label: "NSManagedObjectContext")

    let isMain: Bool

    init(isMain: Bool = false) { self.isMain = isMain }

    /// Returns whether a worker holds the lane. For the main lane, only the current thread counts.
    func isHeld(by worker: LaneWorker) -> Bool {
        if isMain { return Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true }
        return state.load(ordering: .relaxed) & ~Self.contended == worker.address
    }

    // MARK: Running

    /// Runs a block asynchronously.
    func async(_ block: @escaping () -> Void) {
        if isMain {
            let work = SendableBox(block)
            return DispatchQueue.main.async { work.value() }
        }
        LaneWaits.lock.withLock {
            pending.append(.block(block))
            if !becomeContended() { schedule() }
        }
    }

    /// Runs a block and waits for it: on the main queue's thread for the main lane, otherwise on the caller's.
    ///
    /// - Parameters:
    ///   - user: the context queue that wants the lane; nil for a coordinator.
    ///   - isBrief: for a coordinator, whether the work is known to be short, unlike an app's block.
    ///   - block: the work. Its argument is whether no other code on the lane is waiting for it to end.
    func sync<Result, Failure: Error>(
        for user: ContextQueue?, isBrief: Bool = true, _ block: (_ isOutermost: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let worker = LaneWorker.current
        if isHeld(by: worker) { return try block(false) }
        if isMain { return try syncMain(worker, user: user, block: block) }
        var lender: LaneRequest?
        if !state.compareExchange(expected: 0, desired: worker.address, ordering: .acquiring).exchanged {
            // A context that uses the coordinator is in the middle of an operation.
            let isAsking = user == nil && isBrief
            if isAsking { worker.asking.append(worker.context?.takeUnretainedValue().executor) }
            let request = acquireSlowly(worker, user)
            if isAsking { worker.asking.removeLast() }
            guard let request else { return try block(false) }
            lender = request.lender
        }
        defer { release(worker, lender) }
        return try block(lender == nil)
    }

    private func syncMain<Result, Failure: Error>(
        _ worker: LaneWorker, user: ContextQueue?, block: (_ isOutermost: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        withoutActuallyEscaping(block) { block in
            let request = LaneRequest(self, for: user, worker) { isOutermost in
                do throws(Failure) {
                    result = .success(try block(isOutermost))
                } catch {
                    result = .failure(error)
                }
            }
            DispatchQueue.main.async { request.run() }
            LaneWaits.lock.withLock { LaneWaits.wait(for: request) }
            request.work = nil
        }
        guard let result else { misuse("a block of performAndWait did not run") }
        return try result.get()
    }

    // MARK: Holding

    /// Waits for the lane.
    ///
    /// - Returns: the granted request; nil if the thread already holds the lane.
    private func acquireSlowly(_ worker: LaneWorker, _ user: ContextQueue?) -> LaneRequest? {
        LaneWaits.lock.withLock {
            // A wait that a visit has interrupted may have been granted since the caller looked.
            if isHeld(by: worker) { return nil }
            let request = LaneRequest(self, for: user, worker, work: nil)
            pending.append(.request(request))
            if becomeContended() { LaneWaits.wait(for: request) } else { handOver() }
            return request
        }
    }

    /// Makes the lane's holder check `pending` before releasing the lane. Returns false if the lane was free, in which
    /// case the caller now holds it.
    private func becomeContended() -> Bool {
        while true {
            let current = state.load(ordering: .relaxed)
            if current & Self.contended != 0 { return true }
            let new = current | Self.contended
            guard state.compareExchange(expected: current, desired: new, ordering: .acquiringAndReleasing).exchanged
            else {
                continue
            }
            return current != 0
        }
    }

    private func release(_ worker: LaneWorker, _ lender: LaneRequest?) {
        if lender == nil,
            state.compareExchange(expected: worker.address, desired: 0, ordering: .releasing).exchanged
        {
            return
        }
        LaneWaits.lock.withLock {
            guard let lender else { return handOver() }
            state.store(lender.worker.address | Self.contended, ordering: .releasing)
            // The lender may be waiting for the lane again, in a visit that began while it was lent.
            if let request = takeRequest(of: lender.worker, since: lender) { request.grant(heldFor: lender) }
            lender.takeBack(from: worker)
        }
    }

    /// Passes the lane to the next item. Called with the lock held.
    private func handOver() {
        switch next {
        case nil: state.store(0, ordering: .releasing)
        case .block: schedule()
        case .request(let request):
            // The main thread may wait for the lane several times, in visits. The last of these waits ends first.
            if let last = takeRequest(of: request.worker) { return give(to: last) }
            removeNext()
            give(to: request)
        }
    }

    private func schedule() {
        state.store(Self.contended, ordering: .releasing)
        queue.async { self.runBlocks() }
    }

    /// Runs blocks until a caller is next.
    private func runBlocks() {
        let worker = LaneWorker.current
        while let block = nextBlock(worker) { block() }
    }

    /// Returns the next block, or nil if the lane was passed on.
    private func nextBlock(_ worker: LaneWorker) -> (() -> Void)? {
        LaneWaits.lock.withLock {
            guard case .block(let block) = next else {
                handOver()
                return nil
            }
            removeNext()
            state.store(worker.address | Self.contended, ordering: .releasing)
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

    /// Removes and returns the last request for this lane that a worker is waiting for or has interrupted for a visit.
    ///
    /// - Parameter first: a wait of the worker; only later ones count.
    private func takeRequest(of worker: LaneWorker, since first: LaneRequest? = nil) -> LaneRequest? {
        guard worker.level > (first?.level ?? 0) + 1 else { return nil }
        let index = pending.indices.last { index in
            guard case .request(let request) = pending[index] else { return false }
            return request.worker === worker && request.level > first?.level ?? -1
        }
        guard let index, case .request(let request) = pending[index] else { return nil }
        if index == firstPending { removeNext() } else { pending.remove(at: index) }
        return request
    }

    /// The worker that holds the lane, if it may be waiting itself. Called with the lock held, for a contended lane.
    var holder: LaneWorker? {
        if isMain { return LaneWaits.mainWorker }
        let address = state.load(ordering: .acquiring) & ~Self.contended
        return UnsafeRawPointer(bitPattern: address).map { Unmanaged<LaneWorker>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Lends the lane to a thread while its holder waits. Called with the lock held.
    func lend(to request: LaneRequest) {
        pending.removeAll { item in
            if case .request(request) = item { true } else { false }
        }
        give(to: request)
    }

    private func give(to request: LaneRequest) {
        state.store(request.worker.address | Self.contended, ordering: .releasing)
        request.grant()
    }
}

private func ~= (pattern: LaneRequest, value: LaneRequest) -> Bool { pattern === value }

/// A recursive lock whose waits take part in the deadlock detection of `LaneWaits`.
struct LaneLock {
    private let lane = Lane()

    /// Whether the current thread holds the lock.
    var isHeld: Bool { lane.isHeld(by: LaneWorker.current) }

    /// Runs brief work with the lock held.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try lane.sync(for: nil) { _ throws(Failure) -> Result in try body() }
    }

    /// Runs an app's block with the lock held.
    func perform<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
        try lane.sync(for: nil, isBrief: false) { _ throws(Failure) -> Result in try block() }
    }
}
