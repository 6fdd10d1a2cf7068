public import Foundation

/// A property wrapper that keeps the results of a fetch request up to date: SwiftUI's `@FetchRequest` for programs
/// without SwiftUI.
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
/// An addition to Apple's API. The property is a collection of objects, and the projected value `$books` is the query:
/// its predicate and order can be set under SwiftUI's names for them; it has the error if the last fetch failed, and
/// provides the results as asynchronous sequences. Both are observable (`withObservationTracking`). Use everything on
/// the context's queue.
@propertyWrapper
public struct LiveQuery<Result: NSManagedObject> {
    /// The query.
    public let projectedValue: LiveResults<Result>

    /// The current objects.
    public var wrappedValue: LiveResults<Result> { projectedValue }

    /// Creates a query, which has no results until it begins in a context.
    ///
    /// - Parameters:
    ///   - entity: The entity; `nil` for that of the class.
    ///   - sortDescriptors: The order; empty for an unspecified order.
    ///   - predicate: The condition that objects must meet; `nil` for all.
    ///   - context: The context in which it begins immediately; `nil` to call `begin(in:)` later.
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
        projectedValue = LiveResults(request: NSFetchRequest<Result>(), order: sortDescriptors, predicate: predicate)
        projectedValue.tryToBegin(in: context)
    }

    /// Creates a query with a fetch request.
    ///
    /// - Parameters:
    ///   - fetchRequest: The fetch request. Without an entity, that of the class is used.
    ///   - context: The context in which it begins immediately; `nil` to call `begin(in:)` later.
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
public final class LiveResults<Result: NSManagedObject>: LiveRequest<Result>, RandomAccessCollection {
    init(_ request: NSFetchRequest<Result>) {
        super.init(LiveSource(request, sectionKeyPath: nil))
    }

    init(request: NSFetchRequest<Result>, order: [SortDescriptor<Result>], predicate: NSPredicate?) {
        request.predicate = predicate
        super.init(LiveSource(request, sectionKeyPath: nil))
        source.order = order
    }

    /// The index of the first object.
    public var startIndex: Int { 0 }

    /// The number of objects.
    public var endIndex: Int { source.objects.count }

    /// Accesses the object at an index. Traps if it is out of bounds.
    public subscript(position: Int) -> Result { source.objects[position] }
}
