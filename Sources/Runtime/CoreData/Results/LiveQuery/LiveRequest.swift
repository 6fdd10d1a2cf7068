public import Foundation
public import Observation

/// The request of a live query, which can be changed at any time: what `LiveResults` and `SectionedLiveResults` have in
/// common.
///
/// ```swift
/// func showFinished(_ query: LiveRequest<Book>) {
///     query.nsPredicate = NSPredicate(format: "isFinished == YES")
/// }
/// ```
///
/// Use it on the context's queue only.
public class LiveRequest<Result: NSManagedObject>: Observable {
    let source: LiveSource<Result>

    init(_ source: LiveSource<Result>) {
        self.source = source
    }

    func tryToBegin(in context: NSManagedObjectContext?) { source.tryToBegin(in: context) }

    /// Fetches, and follows the changes of a context from then on.
    ///
    /// - Throws: What the fetch throws. The query then has no results, and `error` is set.
    public func begin(in context: NSManagedObjectContext) throws { try source.begin(in: context) }

    /// The context; `nil` before the query has begun.
    public var managedObjectContext: NSManagedObjectContext? { source.context }

    /// The condition that objects must meet; `nil` for all. Setting it fetches again.
    public var nsPredicate: NSPredicate? {
        get { source.predicate }
        set { source.predicate = newValue }
    }

    /// The order. Setting it fetches again.
    public var nsSortDescriptors: [NSSortDescriptor] {
        get { source.sortDescriptors }
        set { source.sortDescriptors = newValue }
    }

    /// The order as Swift's sort descriptors; empty if it was set in another form. Setting it fetches again.
    public var sortDescriptors: [SortDescriptor<Result>] {
        get { source.order }
        set { source.order = newValue }
    }

    /// The error of the last fetch; `nil` if it succeeded.
    public var error: (any Error)? { source.error }

    /// The current results and those after each change, as IDs; see `NSFetchedResultsController.snapshots`. Before the
    /// query has begun in a context, the sequence ends immediately.
    public var snapshots: FetchedResultsSnapshots { source.snapshots }

    /// The future changes; see `NSFetchedResultsController.changes`.
    public var changes: FetchedResultsChanges { source.changes }
}
