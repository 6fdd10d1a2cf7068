internal import Foundation

/// Keeps the changes of results until a task consumes them.
///
/// Changes arrive on the context's queue, and are consumed on any thread. The objects held here belong to the context,
/// and are released on its queue.
final class ResultsMailbox: ResultsCoreObserver, @unchecked Sendable {
    private let lock = NSLock()
    /// The changes since the last consumption; `nil` if there are none. Guarded by the lock.
    private var update: FetchedResultsUpdate?
    /// Whether the sequence was released. Guarded by the lock.
    private var isClosed = false

    private let context: NSManagedObjectContext
    private let signal: AsyncStream<Void>.Continuation
    // The following are used on the context's queue only.
    private weak var core: ResultsCore?
    /// The results as of the last consumption.
    private var base: ResultsContents
    /// The results as last reported.
    private var last: ResultsContents
    /// The objects that have changed since `base`.
    private var updated: Set<ObjectIdentifier> = []

    /// Starts observing results. Called on the context's queue.
    ///
    /// - Parameter now: Whether to deliver the current results immediately.
    static func open(_ core: ResultsCore, now: Bool) -> ResultsSubscription {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let mailbox = ResultsMailbox(core, continuation)
        core.add(mailbox)
        if now, core.contents != nil {
            mailbox.update = FetchedResultsUpdate(ResultsDifference(), core.contents)
            continuation.yield()
        }
        continuation.onTermination = { [weak mailbox] _ in mailbox?.close() }
        return ResultsSubscription(stream: stream, mailbox: mailbox)
    }

    private init(_ core: ResultsCore, _ signal: AsyncStream<Void>.Continuation) {
        context = core.context
        self.core = core
        self.signal = signal
        base = core.contents ?? ResultsContents()
        last = base
    }

    /// Removes and returns the pending update.
    func take() -> FetchedResultsUpdate? {
        lock.withLock {
            defer { update = nil }
            return update
        }
    }

    func resultsChanged(_ core: ResultsCore, _ difference: ResultsDifference<NSManagedObject>?) {
        guard !lock.withLock({ isClosed }) else { return remove() }
        let contents = core.contents ?? ResultsContents()
        let changed = ((difference?.moves ?? []) + (difference?.updates ?? [])).map { ObjectIdentifier($0.element) }
        let waited = lock.withLock { update != nil }
        if waited {
            updated.formUnion(changed)
            // Several changes are combined into one update.
            let changes = FetchedResultsUpdate(since(base, contents), contents)
            let isStillWaiting = lock.withLock {
                guard update != nil else { return false }
                update = changes
                return true
            }
            guard !isStillWaiting else {
                last = contents
                signal.yield()
                return
            }
        }
        // The previous update has been consumed.
        base = last
        updated = Set(changed)
        let changes = FetchedResultsUpdate(difference ?? since(base, contents), contents)
        lock.withLock { update = changes }
        last = contents
        signal.yield()
    }

    private func since(_ base: ResultsContents, _ contents: ResultsContents) -> ResultsDifference<NSManagedObject> {
        ResultsDifference(from: base.parts, to: contents.parts) { [updated] in updated.contains(ObjectIdentifier($0)) }
    }

    func resultsEnd() {
        letGo()
        signal.finish()
    }

    /// Stops observing, after the sequence was released.
    private func close() {
        lock.withLock { isClosed = true }
        // A context without a queue is used on one thread, which may be another than this one: the next change removes
        // the observer.
        guard context.concurrencyType != .confinementConcurrencyType else { return }
        context.perform { [self] in remove() }
    }

    private func remove() {
        core?.remove(self)
        letGo()
    }

    private func letGo() {
        base = ResultsContents()
        last = base
    }
}

/// The stream of updates for a single task.
struct ResultsSubscription: Sendable {
    private let stream: AsyncStream<Void>
    private let mailbox: ResultsMailbox?

    init(stream: AsyncStream<Void>, mailbox: ResultsMailbox) {
        self.stream = stream
        self.mailbox = mailbox
    }

    /// Creates a stream without updates.
    init() {
        stream = AsyncStream { $0.finish() }
        mailbox = nil
    }

    func makeIterator() -> Iterator { Iterator(signals: stream.makeAsyncIterator(), mailbox: mailbox) }

    /// Waits for updates.
    struct Iterator {
        var signals: AsyncStream<Void>.Iterator
        let mailbox: ResultsMailbox?

        mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsUpdate? {
            while await signals.next(isolation: actor) != nil {
                if let update = mailbox?.take() { return update }
            }
            return nil
        }
    }
}
