public import Foundation
public import Observation

/// A property that shows what a fetch request gives, and follows it: SwiftUI's `@FetchRequest` for programs without SwiftUI.
///
/// ```swift
/// final class Shelf {
///     @LiveQuery(sortDescriptors: [SortDescriptor(\.title)], predicate: NSPredicate(format: "isNew == YES")) var books: LiveResults<Book>
///
///     init(_ context: NSManagedObjectContext) throws {
///         try $books.begin(in: context)
///     }
/// }
/// ```
///
/// An addition to Apple's API. The property is a collection of objects, and the projected value `$books` the query: its predicate
/// and order can be set, by the names that SwiftUI has for them; it has an error if the last fetch failed, and gives the results
/// as asynchronous sequences. Both are observable (`withObservationTracking`). Everything is used on the context's queue.
@propertyWrapper
public struct LiveQuery<Result: NSManagedObject> {
    /// The query.
    public let projectedValue: LiveResults<Result>

    /// The objects, as they are now.
    public var wrappedValue: LiveResults<Result> { projectedValue }

    /// Creates a query, which has no results until it begins in a context.
    ///
    /// - Parameters:
    ///   - entity: the entity; that of the class unless given.
    ///   - sortDescriptors: the order; empty for any.
    ///   - predicate: which objects; nil for all.
    ///   - context: where it begins at once; nil to call `begin(in:)` later.
    public init(
        entity: NSEntityDescription? = nil, sortDescriptors: [NSSortDescriptor], predicate: NSPredicate? = nil,
        context: NSManagedObjectContext? = nil
    ) {
        let request = NSFetchRequest<Result>()
        request.entity = entity
        request.sortDescriptors = sortDescriptors
        request.predicate = predicate
        self.init(fetchRequest: request, context: context)
    }

    /// Creates a query with Swift's sort descriptors; see the other initializer.
    public init(
        sortDescriptors: [SortDescriptor<Result>] = [], predicate: NSPredicate? = nil,
        context: NSManagedObjectContext? = nil
    ) {
        projectedValue = LiveResults(NSFetchRequest<Result>(), sortDescriptors, predicate)
        projectedValue.tryToBegin(in: context)
    }

    /// Creates a query of a request.
    ///
    /// - Parameters:
    ///   - fetchRequest: what is fetched. Without an entity it is that of the class.
    ///   - context: where it begins at once; nil to call `begin(in:)` later.
    public init(fetchRequest: NSFetchRequest<Result>, context: NSManagedObjectContext? = nil) {
        projectedValue = LiveResults(fetchRequest)
        projectedValue.tryToBegin(in: context)
    }
}

/// The results of a `LiveQuery`, and the query itself.
///
/// ```swift
/// final class Shelf {
///     @LiveQuery(sortDescriptors: [SortDescriptor(\.title)]) var books: LiveResults<Book>
///     func titles() -> [String] { books.compactMap(\.title) }
/// }
/// ```
///
/// Use it on the context's queue only.
public final class LiveResults<Result: NSManagedObject>: RandomAccessCollection, Observable {
    private let source: LiveSource<Result>

    init(_ request: NSFetchRequest<Result>) {
        source = LiveSource(request, sectionKeyPath: nil)
    }

    init(_ request: NSFetchRequest<Result>, _ order: [SortDescriptor<Result>], _ predicate: NSPredicate?) {
        request.predicate = predicate
        source = LiveSource(request, sectionKeyPath: nil)
        source.order = order
    }

    func tryToBegin(in context: NSManagedObjectContext?) { source.tryToBegin(in: context) }

    /// Fetches, and follows the changes of a context from now on.
    ///
    /// - Throws: what the fetch throws; the query has no results then, and the error in `error`.
    public func begin(in context: NSManagedObjectContext) throws { try source.begin(in: context) }

    /// The context; nil before the query has begun.
    public var managedObjectContext: NSManagedObjectContext? { source.context }

    // MARK: Request

    /// Which objects are wanted; nil for all. Setting it fetches again.
    public var nsPredicate: NSPredicate? {
        get { source.predicate }
        set { source.predicate = newValue }
    }

    /// The order. Setting it fetches again.
    public var nsSortDescriptors: [NSSortDescriptor] {
        get { source.sortDescriptors }
        set { source.sortDescriptors = newValue }
    }

    /// The order, as Swift's sort descriptors; empty if it was given otherwise. Setting it fetches again.
    public var sortDescriptors: [SortDescriptor<Result>] {
        get { source.order }
        set { source.order = newValue }
    }

    /// Why the last fetch failed; nil if it did not.
    public var error: (any Error)? { source.error }

    // MARK: Results

    /// The number of the first object.
    public var startIndex: Int { 0 }

    /// How many objects there are.
    public var endIndex: Int { source.objects.count }

    /// An object by its number. One that does not exist traps.
    public subscript(position: Int) -> Result { source.objects[position] }

    /// The results now and after each change, as IDs; see `NSFetchedResultsController.snapshots`. Of the context that the query
    /// has begun in; ends at once before that.
    public var snapshots: FetchedResultsSnapshots { source.snapshots }

    /// The changes from now on; see `NSFetchedResultsController.changes`.
    public var changes: FetchedResultsChanges { source.changes }
}
