internal import Foundation

/// Keeps the changes of results until a task looks at them.
///
/// Changes come on the context's queue, and are taken on any thread. The objects that are held here are the context's, and are
/// let go on its queue.
final class ResultsMailbox: ResultsObserver, @unchecked Sendable {
    private let lock = NSLock()
    /// What has happened since somebody looked; nil when nothing has. Under the lock.
    private var update: FetchedResultsUpdate?

    private let context: NSManagedObjectContext
    private let signal: AsyncStream<Void>.Continuation
    // On the context's queue only.
    private weak var core: ResultsCore?
    /// The results when somebody looked last.
    private var base: ResultsContents
    /// The results as they were told last.
    private var last: ResultsContents
    /// The objects that have changed since `base`.
    private var updated: Set<ObjectIdentifier> = []

    /// Begins to listen. On the context's queue.
    ///
    /// - Parameter now: whether the results as they are count as news.
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

    /// Takes what has happened.
    func take() -> FetchedResultsUpdate? {
        lock.withLock {
            defer { update = nil }
            return update
        }
    }

    func resultsChanged(_ core: ResultsCore, _ difference: ResultsDifference<NSManagedObject>?) {
        let contents = core.contents ?? ResultsContents()
        let changed = ((difference?.moves ?? []) + (difference?.updates ?? [])).map { ObjectIdentifier($0.element) }
        let waited = lock.withLock { update != nil }
        if waited {
            updated.formUnion(changed)
            // Several changes become one.
            let news = FetchedResultsUpdate(since(base, contents), contents)
            let isStillWaiting = lock.withLock {
                guard update != nil else { return false }
                update = news
                return true
            }
            guard !isStillWaiting else {
                last = contents
                signal.yield()
                return
            }
        }
        // What was told before has been looked at.
        base = last
        updated = Set(changed)
        let news = FetchedResultsUpdate(difference ?? since(base, contents), contents)
        lock.withLock { update = news }
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

    /// The last listener is gone.
    private func close() {
        context.perform { [self] in
            core?.remove(self)
            letGo()
        }
    }

    private func letGo() {
        base = ResultsContents()
        last = base
    }
}

/// A sequence of updates for one task.
struct ResultsSubscription: Sendable {
    private let stream: AsyncStream<Void>
    private let mailbox: ResultsMailbox?

    init(stream: AsyncStream<Void>, mailbox: ResultsMailbox) {
        self.stream = stream
        self.mailbox = mailbox
    }

    /// A sequence without updates.
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
