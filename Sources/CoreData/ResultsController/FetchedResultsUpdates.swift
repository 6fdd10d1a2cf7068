extension NSFetchedResultsController {
    /// The results now, if they were fetched, and after each change; an update that was not consumed yet is replaced by
    /// a newer one.
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

/// An asynchronous sequence of a controller's results: the current ones, and those after each change.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let controller = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
/// try controller.performFetch()
/// for await snapshot in controller.snapshots { print(snapshot.sections.count) }
/// ```
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

    /// The iterator of `FetchedResultsSnapshots`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// Returns the newest snapshot that was not given yet; nil when there will be no more.
        public mutating func next() async -> FetchedResultsSnapshot? { await updates.next(isolation: nil)?.snapshot }

        /// Returns the newest snapshot that was not given yet; nil when there will be no more.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsSnapshot? {
            await updates.next(isolation: actor)?.snapshot
        }
    }
}

/// An asynchronous sequence of changes to the results of a fetched results controller.
///
/// ```swift
/// func follow(_ controller: NSFetchedResultsController<Book>) async {
///     for await update in controller.changes { print(update.changes.count) }
/// }
/// ```
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

    /// The iterator of `FetchedResultsChanges`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// Returns what has changed since the last time; nil when there will be no more changes.
        public mutating func next() async -> FetchedResultsUpdate? { await updates.next(isolation: nil) }

        /// Returns what has changed since the last time; nil when there will be no more changes.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsUpdate? {
            await updates.next(isolation: actor)
        }
    }
}
