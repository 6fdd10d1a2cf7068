extension NSFetchedResultsController {
    /// An asynchronous sequence of the current results, if they were fetched, and the results after each change. A
    /// newer snapshot replaces one that was not consumed yet.
    ///
    /// An addition to Apple's API. Access the property on the context's queue; await the sequence anywhere, in a single
    /// task. It ends when the controller, which it does not retain, is deallocated. A released sequence stops
    /// observing.
    public final var snapshots: FetchedResultsSnapshots {
        FetchedResultsSnapshots(ResultsMailbox.open(core, now: true))
    }

    /// An asynchronous sequence of future changes to the results. Changes that were not consumed yet are combined into
    /// one.
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
    /// The element type: a snapshot.
    public typealias Element = FetchedResultsSnapshot
    /// Never fails.
    public typealias Failure = Never

    private let subscription: ResultsSubscription

    init(_ subscription: ResultsSubscription) {
        self.subscription = subscription
    }

    /// Returns an iterator that waits for elements.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: subscription.makeIterator()) }

    /// The iterator of `FetchedResultsSnapshots`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// Returns the newest snapshot that was not returned yet, or `nil` at the end of the sequence.
        public mutating func next() async -> FetchedResultsSnapshot? { await updates.next(isolation: nil)?.snapshot }

        /// Returns the newest snapshot that was not returned yet, or `nil` at the end of the sequence.
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
    /// The element type: an update.
    public typealias Element = FetchedResultsUpdate
    /// Never fails.
    public typealias Failure = Never

    private let subscription: ResultsSubscription

    init(_ subscription: ResultsSubscription) {
        self.subscription = subscription
    }

    /// Returns an iterator that waits for elements.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: subscription.makeIterator()) }

    /// The iterator of `FetchedResultsChanges`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: ResultsSubscription.Iterator

        /// Returns the changes since the last call, or `nil` at the end of the sequence.
        public mutating func next() async -> FetchedResultsUpdate? { await updates.next(isolation: nil) }

        /// Returns the changes since the last call, or `nil` at the end of the sequence.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsUpdate? {
            await updates.next(isolation: actor)
        }
    }
}
