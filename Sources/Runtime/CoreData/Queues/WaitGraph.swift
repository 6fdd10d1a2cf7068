internal import Foundation
internal import RuntimeSupport

/// A thread's state with regard to queues.
final class QueueThread: @unchecked Sendable {
    struct Block {
        /// The context.
        let owner: Unmanaged<AnyObject>
        let queue: Unmanaged<ContextQueue>
    }

    /// The innermost block that is running.
    var block: Block?
    /// The queues of contexts that are in the middle of an operation; `nil` for a coordinator that no context uses.
    var requesters: [ContextQueue?] = []
    fileprivate var isPerformingRequest: Bool { !requesters.isEmpty }
    /// The threads that wait for the main thread's current work.
    fileprivate var callers: [QueueThread] = []

    /// The number of the thread's nested waits. All but the last are interrupted for a visit. Guarded by `WaitGraph`.
    fileprivate(set) var level = 0
    /// What the thread waits for; `nil` while it runs. Guarded by `WaitGraph`.
    fileprivate var waiting: QueueRequest?
    /// Blocks for the main queue that the waiting main thread is to run. Guarded by `WaitGraph`.
    fileprivate var visits: [QueueRequest] = []
    fileprivate let semaphore = DispatchSemaphore(value: 0)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let error = pthread_key_create(&key) { thread in
            if let thread { Unmanaged<QueueThread>.fromOpaque(thread).release() }
        }
        if error != 0 { misuse("no thread-specific key is left (error \(error))") }
        return key
    }()

    static var current: QueueThread {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<QueueThread>.fromOpaque(pointer).takeUnretainedValue()
        }
        let thread = QueueThread()
        pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
        return thread
    }

    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// Returns whether a thread that waits for this one holds a queue.
    func isCalled(from queue: LendingQueue) -> Bool { callers.contains { queue.isHeld(by: $0) } }

    /// What could go wrong if a thread were let into a queue of another one: which context is in the middle of an
    /// operation.
    fileprivate enum Risk {
        case none
        /// A context of another queue, which the thread may enter next.
        case otherQueue
        /// Another context of the queue.
        case otherContext
        /// The context itself.
        case sameContext
    }

    /// Returns what could go wrong if a thread were let into a queue of this one.
    fileprivate func risk(of request: QueueRequest) -> Risk {
        guard isPerformingRequest else { return .none }
        if let user = request.user, requesters.contains(where: { $0 === user }) { return .sameContext }
        return requesters.contains { $0?.queue === request.queue } ? .otherContext : .otherQueue
    }

    fileprivate func perform(_ work: (() -> Void), for caller: QueueThread) {
        callers.append(caller)
        work()
        callers.removeLast()
    }
}

/// A thread's request for a queue. Guarded by `WaitGraph`.
final class QueueRequest: @unchecked Sendable {
    let queue: LendingQueue
    /// The context queue that wants it; `nil` for a coordinator.
    let user: ContextQueue?
    let thread: QueueThread
    /// The work to do, for the main queue. The argument is whether no other code on the queue waits for it to end.
    var work: ((Bool) -> Void)?
    /// Whether the work has started or is about to.
    fileprivate var isStarted = false
    /// Whether the thread has been given the queue or the work is done.
    fileprivate var isGranted = false
    /// The number of other waits that the thread has interrupted for visits.
    fileprivate(set) var level = 0
    /// The request that the lending thread waits for; `nil` if the queue was free.
    private(set) var lender: QueueRequest?
    /// The threads to which the thread has lent queues while it waits. It resumes once all are returned.
    fileprivate var borrowers: [QueueThread] = []

    init(_ queue: LendingQueue, for user: ContextQueue?, _ thread: QueueThread, work: ((Bool) -> Void)?) {
        self.queue = queue
        self.user = user
        self.thread = thread
        self.work = work
    }

    fileprivate var isOver: Bool { isGranted && borrowers.isEmpty }

    /// Returns a lent queue to the thread that holds it. Called with the lock held.
    ///
    /// - Parameter lender: The interrupted wait of the same thread during which it lent the queue.
    func grant(heldFor lender: QueueRequest) {
        self.lender = lender
        grant()
    }

    /// Notifies the thread that it holds the queue. Called with the lock held.
    func grant() {
        isGranted = true
        if borrowers.isEmpty { thread.semaphore.signal() } else { WaitGraph.breakCycle(through: thread) }
    }

    /// Lets the thread in while the queue's holder waits.
    fileprivate func letIn(by holder: QueueThread) {
        if queue.isMain {
            isStarted = true
            holder.visits.append(self)
            holder.semaphore.signal()
        } else {
            lender = holder.waiting
            holder.waiting?.borrowers.append(thread)
            queue.lend(to: self)
        }
    }

    /// Takes a queue back from a borrower. Called with the lock held.
    func reclaim(from borrower: QueueThread) {
        if let index = borrowers.lastIndex(where: { $0 === borrower }) { borrowers.remove(at: index) }
        if isOver { thread.semaphore.signal() } else { WaitGraph.breakCycle(through: thread) }
    }

    /// Performs the work on the main queue, unless it was done while the main thread waited.
    func run() {
        let isMine = WaitGraph.lock.withLock {
            defer { isStarted = true }
            return !isStarted
        }
        if isMine { perform(isOutermost: true) }
    }

    /// Performs the work and grants the request.
    fileprivate func perform(isOutermost: Bool) {
        QueueThread.current.perform({ work?(isOutermost) }, for: thread)
        WaitGraph.lock.withLock { grant() }
    }
}

/// The table of which thread waits for which queue.
enum WaitGraph {
    /// Guards the table of waiting threads.
    static let lock = NSLock()
    /// The thread that holds the main queue, while it waits.
    nonisolated(unsafe) private(set) static var mainThread: QueueThread?

    /// Waits until a request is granted. Called with the lock held, which is released while waiting.
    static func wait(for request: QueueRequest) {
        let thread = request.thread
        let outerMain = mainThread
        let isMain = LendingQueue.main.isHeld(by: thread)
        if isMain { mainThread = thread }
        thread.waiting = request
        request.level = thread.level
        thread.level += 1
        while !request.isOver || !thread.visits.isEmpty {
            if thread.visits.isEmpty { breakCycle(through: thread) }
            if !thread.visits.isEmpty {
                let visit = thread.visits.removeFirst()
                thread.waiting = nil
                lock.unlock()
                visit.perform(isOutermost: false)
                lock.lock()
                thread.waiting = request
            } else if !request.isOver {
                lock.unlock()
                thread.semaphore.wait()
                lock.lock()
            }
        }
        thread.waiting = nil
        thread.level -= 1
        if isMain { mainThread = outerMain }
    }

    /// Lets a thread in if the thread's transitive waits form a cycle. Called with the lock held.
    static func breakCycle(through thread: QueueThread) {
        var stuck = [thread]
        var requests: [(request: QueueRequest, holder: QueueThread)] = []
        var index = 0
        while index < stuck.count {
            let current = stuck[index]
            index += 1
            // A thread that is running or about to run will release what it holds.
            guard let request = current.waiting, !request.isOver, current.visits.isEmpty else { return }
            var others = request.borrowers
            if others.isEmpty {
                guard let holder = request.queue.holder else { return }
                others = [holder]
                if !request.isStarted { requests.append((request, holder)) }
            }
            for other in others where !stuck.contains(where: { $0 === other }) { stuck.append(other) }
        }
        // There is one: loans and visits lead from a thread to one that has run later, so they form no cycle by
        // themselves. Threads in the middle of an operation go first, unless a queue can be lent without any risk:
        // their requests are short and go up to a parent. A context in the middle of an operation is entered last: only
        // if the app's code waits in it, for example in an observer. Otherwise the thread that asks a parent goes
        // first.
        func cost(_ link: (request: QueueRequest, holder: QueueThread)) -> (Int, Int) {
            let order =
                switch (link.holder.risk(of: link.request), link.request.thread.isPerformingRequest) {
                case (.none, _): 0
                case (.otherQueue, true): 1
                case (.otherContext, true): 2
                case (.otherQueue, false): 3
                case (.otherContext, false): 4
                case (.sameContext, _): 5
                }
            return (order, link.request.user?.depth ?? -1)
        }
        guard let chosen = requests.min(by: { cost($0) < cost($1) }) else { return }
        chosen.request.letIn(by: chosen.holder)
    }
}
