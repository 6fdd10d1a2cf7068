internal import Foundation
internal import RuntimeSupport

/// A thread's state with regard to lanes.
final class LaneWorker: @unchecked Sendable {
    /// The context whose block is running.
    var context: Unmanaged<NSManagedObjectContext>?
    /// The queues of contexts that are in the middle of an operation; nil for a coordinator that no context uses.
    var asking: [ContextQueue?] = []
    fileprivate var isAsking: Bool { !asking.isEmpty }
    /// The threads that wait for the main thread's current work.
    fileprivate var callers: [LaneWorker] = []

    /// The number of the thread's nested waits. All but the last are interrupted for a visit. Guarded by `LaneWaits`.
    fileprivate(set) var level = 0
    /// What the thread waits for; nil while it runs. Guarded by `LaneWaits`.
    fileprivate var waiting: LaneRequest?
    /// Blocks for the main lane that the waiting main thread is to run. Guarded by `LaneWaits`.
    fileprivate var visits: [LaneRequest] = []
    fileprivate let semaphore = DispatchSemaphore(value: 0)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let error = pthread_key_create(&key) { worker in
            if let worker { Unmanaged<LaneWorker>.fromOpaque(worker).release() }
        }
        if error != 0 { misuse("no thread-specific key is left (error \(error))") }
        return key
    }()

    /// The current thread's worker.
    static var current: LaneWorker {
        if let known = pthread_getspecific(key) { return Unmanaged<LaneWorker>.fromOpaque(known).takeUnretainedValue() }
        let worker = LaneWorker()
        pthread_setspecific(key, Unmanaged.passRetained(worker).toOpaque())
        return worker
    }

    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// Returns whether a thread that waits for this one holds a lane.
    func isCalled(from lane: Lane) -> Bool { callers.contains { lane.isHeld(by: $0) } }

    /// Returns what could go wrong if a thread were let into a lane of this one: 0 for nothing; 1 if another lane's
    /// context is in the middle of an operation, which the thread may enter next; 2 for another context of the lane; 3
    /// for the context itself.
    fileprivate func risk(of request: LaneRequest) -> Int {
        guard isAsking else { return 0 }
        if let user = request.user, asking.contains(where: { $0 === user }) { return 3 }
        return asking.contains { $0?.lane === request.lane } ? 2 : 1
    }

    fileprivate func perform(_ work: (() -> Void), for caller: LaneWorker) {
        callers.append(caller)
        work()
        callers.removeLast()
    }
}

/// A thread's request for a lane. Guarded by `LaneWaits`.
final class LaneRequest: @unchecked Sendable {
    let lane: Lane
    /// The context queue that wants it; nil for a coordinator.
    let user: ContextQueue?
    let worker: LaneWorker
    /// The work to do, for the main lane. The argument is whether no other code on the lane waits for it to end.
    var work: ((Bool) -> Void)?
    /// Whether the work has started or is about to.
    fileprivate var isStarted = false
    /// Whether the thread has been given the lane or the work is done.
    fileprivate var isGranted = false
    /// The number of other waits that the thread has interrupted for visits.
    fileprivate(set) var level = 0
    /// The request that the lending thread waits for; nil if the lane was free.
    private(set) var lender: LaneRequest?
    /// The workers to which the thread has lent lanes while it waits. It resumes once all are returned.
    fileprivate var borrowers: [LaneWorker] = []

    init(_ lane: Lane, for user: ContextQueue?, _ worker: LaneWorker, work: ((Bool) -> Void)?) {
        self.lane = lane
        self.user = user
        self.worker = worker
        self.work = work
    }

    fileprivate var isOver: Bool { isGranted && borrowers.isEmpty }

    /// Returns a lent lane to the thread that holds it. Called with the lock held.
    ///
    /// - Parameter lender: the interrupted wait of the same thread during which it lent the lane.
    func grant(heldFor lender: LaneRequest) {
        self.lender = lender
        grant()
    }

    /// Notifies the thread that it holds the lane. Called with the lock held.
    func grant() {
        isGranted = true
        if borrowers.isEmpty { worker.semaphore.signal() } else { LaneWaits.breakCircle(through: worker) }
    }

    /// Lets the thread in while the lane's holder waits.
    fileprivate func letIn(by holder: LaneWorker) {
        if lane.isMain {
            isStarted = true
            holder.visits.append(self)
            holder.semaphore.signal()
        } else {
            lender = holder.waiting
            holder.waiting?.borrowers.append(worker)
            lane.lend(to: self)
        }
    }

    /// Takes a lane back from a borrower. Called with the lock held.
    func takeBack(from borrower: LaneWorker) {
        if let index = borrowers.lastIndex(where: { $0 === borrower }) { borrowers.remove(at: index) }
        if isOver { worker.semaphore.signal() } else { LaneWaits.breakCircle(through: worker) }
    }

    /// Performs the work on the main queue, unless it was done while the main thread waited.
    func run() {
        let isMine = LaneWaits.lock.withLock {
            defer { isStarted = true }
            return !isStarted
        }
        if isMine { perform(isOutermost: true) }
    }

    /// Performs the work and grants the request.
    fileprivate func perform(isOutermost: Bool) {
        LaneWorker.current.perform({ work?(isOutermost) }, for: worker)
        LaneWaits.lock.withLock { grant() }
    }
}

/// The table of which thread waits for which lane.
enum LaneWaits {
    /// Guards the table of waiting threads.
    static let lock = NSLock()
    /// The worker of the thread that holds the main queue, while it waits.
    nonisolated(unsafe) private(set) static var mainWorker: LaneWorker?

    /// Waits until a request is granted. Called with the lock held, which is released while waiting.
    static func wait(for request: LaneRequest) {
        let worker = request.worker
        let outerMain = mainWorker
        let isMain = Lane.main.isHeld(by: worker)
        if isMain { mainWorker = worker }
        worker.waiting = request
        request.level = worker.level
        worker.level += 1
        while !request.isOver || !worker.visits.isEmpty {
            if worker.visits.isEmpty { breakCircle(through: worker) }
            if !worker.visits.isEmpty {
                let visit = worker.visits.removeFirst()
                worker.waiting = nil
                lock.unlock()
                visit.perform(isOutermost: false)
                lock.lock()
                worker.waiting = request
            } else if !request.isOver {
                lock.unlock()
                worker.semaphore.wait()
                lock.lock()
            }
        }
        worker.waiting = nil
        worker.level -= 1
        if isMain { mainWorker = outerMain }
    }

    /// Lets a thread in if the worker's transitive waits form a cycle. Called with the lock held.
    static func breakCircle(through worker: LaneWorker) {
        var stuck = [worker]
        var requests: [(request: LaneRequest, holder: LaneWorker)] = []
        var index = 0
        while index < stuck.count {
            let current = stuck[index]
            index += 1
            // A thread that is running or about to run will release what it holds.
            guard let request = current.waiting, !request.isOver, current.visits.isEmpty else { return }
            var others = request.borrowers
            if others.isEmpty {
                guard let holder = request.lane.holder else { return }
                others = [holder]
                if !request.isStarted { requests.append((request, holder)) }
            }
            for other in others where !stuck.contains(where: { $0 === other }) { stuck.append(other) }
        }
        // There is one: loans and visits lead from a thread to one that has run later, so they form no circle by
        // themselves. Threads in the middle of an operation go first, unless a lane can be lent without any risk: their
        // requests are short and go up to a parent. A context in the middle of an operation is entered last: only if
        // the app's code waits in it, for example in an observer. Otherwise the thread that asks a parent goes first.
        func cost(_ link: (request: LaneRequest, holder: LaneWorker)) -> (Int, Int) {
            let risk = link.holder.risk(of: link.request)
            let order =
                switch (risk, link.request.worker.isAsking) {
                case (0, _): 0
                case (1...2, true): risk
                case (1...2, false): risk + 2
                default: 5
                }
            return (order, link.request.user?.depth ?? -1)
        }
        guard let chosen = requests.min(by: { cost($0) < cost($1) }) else { return }
        chosen.request.letIn(by: chosen.holder)
    }
}
