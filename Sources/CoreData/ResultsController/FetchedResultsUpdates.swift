extension NSFetchedResultsController {
    /// The results now, if they were fetched, and after each change; what nobody has looked at yet is replaced by what is
    /// newer.
    ///
    /// An addition to Apple's API. Asked for on the context's queue, waited for anywhere. Each sequence is for one task. It
    /// ends with the controller, which it does not keep alive, and costs nothing any more once it is dropped.
    public final var snapshots: FetchedResultsSnapshots {
        FetchedResultsSnapshots(ResultsMailbox.open(core, now: true))
    }

    /// The changes of the results from now on. Where several have come before anybody looked, they are given as one.
    ///
    /// An addition to Apple's API; see `snapshots`.
    public final var changes: FetchedResultsChanges { FetchedResultsChanges(ResultsMailbox.open(core, now: false)) }
}

/// The results of a fetched results controller, now and after each change.
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
    /// A snapshot.
    public typealias Element = FetchedResultsSnapshot
    /// Never fails.
    public typealias Failure = Never

    private let subscription: ResultsSubscription

    init(_ subscription: ResultsSubscription) {
        self.subscription = subscription
    }

    /// Begins to wait.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: subscription.makeIterator()) }

    /// Waits for snapshots.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// The newest snapshot that was not given yet; nil when there will be no more.
        public mutating func next() async -> FetchedResultsSnapshot? { await updates.next(isolation: nil)?.snapshot }

        /// The newest snapshot that was not given yet; nil when there will be no more.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsSnapshot? {
            await updates.next(isolation: actor)?.snapshot
        }
    }
}

/// The changes of the results of a fetched results controller.
public struct FetchedResultsChanges: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = FetchedResultsUpdate
    /// Never fails.
    public typealias Failure = Never

    private let subscription: ResultsSubscription

    init(_ subscription: ResultsSubscription) {
        self.subscription = subscription
    }

    /// Begins to wait.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: subscription.makeIterator()) }

    /// Waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// What has changed since the last time; nil when there will be no more changes.
        public mutating func next() async -> FetchedResultsUpdate? { await updates.next(isolation: nil) }

        /// What has changed since the last time; nil when there will be no more changes.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsUpdate? {
            await updates.next(isolation: actor)
        }
    }
}
