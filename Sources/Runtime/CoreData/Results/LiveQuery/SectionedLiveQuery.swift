public import Foundation
public import Observation
internal import RuntimeSupport

/// A property wrapper that keeps the results of a fetch request, grouped into sections, up to date: SwiftUI's
/// `@SectionedFetchRequest` for programs without SwiftUI.
///
/// ```swift
/// final class Shelf {
///     @SectionedLiveQuery(sectionIdentifier: \.isFinished, sortDescriptors: [SortDescriptor(\.title)])
///     var books: SectionedLiveResults<Bool, Book>
/// }
/// ```
///
/// An addition to Apple's API. See `LiveQuery`.
@propertyWrapper
public struct SectionedLiveQuery<SectionIdentifier: Hashable, Result: NSManagedObject> {
    /// The query.
    public let projectedValue: SectionedLiveResults<SectionIdentifier, Result>

    /// The current sections.
    public var wrappedValue: SectionedLiveResults<SectionIdentifier, Result> { projectedValue }

    /// Creates a query, which has no results until it begins in a context.
    ///
    /// - Parameters:
    ///   - entity: The entity; `nil` for that of the class.
    ///   - sectionIdentifier: The key path of the property by which objects are grouped: a property of the model.
    ///   - sortDescriptors: The order, which must keep the objects of each section together.
    ///   - predicate: The condition that objects must meet; `nil` for all.
    ///   - context: The context in which it begins immediately; `nil` to call `begin(in:)` later.
    public init(
        entity: NSEntityDescription? = nil, sectionIdentifier: KeyPath<Result, SectionIdentifier>,
        sortDescriptors: [NSSortDescriptor], predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
    ) {
        let request = NSFetchRequest<Result>()
        request.entity = entity
        request.sortDescriptors = sortDescriptors
        request.predicate = predicate
        self.init(fetchRequest: request, sectionIdentifier: sectionIdentifier, context: context)
    }

    /// Creates a query with Swift's sort descriptors; see the other initializer.
    public init(
        sectionIdentifier: KeyPath<Result, SectionIdentifier>, sortDescriptors: [SortDescriptor<Result>],
        predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
    ) {
        let request = NSFetchRequest<Result>()
        request.predicate = predicate
        projectedValue = SectionedLiveResults(request, sectionIdentifier)
        projectedValue.sortDescriptors = sortDescriptors
        projectedValue.tryToBegin(in: context)
    }

    /// Creates a query with a fetch request; see the other initializer.
    public init(
        fetchRequest: NSFetchRequest<Result>, sectionIdentifier: KeyPath<Result, SectionIdentifier>,
        context: NSManagedObjectContext? = nil
    ) {
        projectedValue = SectionedLiveResults(fetchRequest, sectionIdentifier)
        projectedValue.tryToBegin(in: context)
    }
}

/// The results of a `SectionedLiveQuery`, and the query itself: a collection of sections.
///
/// ```swift
/// func printSections(_ sections: SectionedLiveResults<Bool, Book>) {
///     for section in sections { print(section.id, section.count) }
/// }
/// ```
///
/// Use it on the context's queue only.
public final class SectionedLiveResults<SectionIdentifier: Hashable, Result: NSManagedObject>: RandomAccessCollection,
    Observable
{
    /// A section: a collection of objects.
    ///
    /// ```swift
    /// func titles(_ section: SectionedLiveResults<Bool, Book>.Section) -> [String] { section.compactMap(\.title) }
    /// ```
    public struct Section: Identifiable, RandomAccessCollection {
        /// The value that the section's objects have in common.
        public let id: SectionIdentifier
        private let objects: ArraySlice<Result>

        init(id: SectionIdentifier, _ objects: ArraySlice<Result>) {
            self.id = id
            self.objects = objects
        }

        /// The index of the first object.
        public var startIndex: Int { 0 }

        /// The number of objects.
        public var endIndex: Int { objects.count }

        /// Accesses the object at an index in the section. Traps if it is out of bounds.
        public subscript(position: Int) -> Result { objects[objects.startIndex + position] }
    }

    private let source: LiveSource<Result>
    private var identifier: KeyPath<Result, SectionIdentifier>

    init(_ request: NSFetchRequest<Result>, _ identifier: KeyPath<Result, SectionIdentifier>) {
        self.identifier = identifier
        source = LiveSource(request, sectionKeyPath: identifier)
    }

    func tryToBegin(in context: NSManagedObjectContext?) { source.tryToBegin(in: context) }

    /// Fetches, and follows the changes of a context from then on.
    ///
    /// - Throws: What the fetch throws. The query then has no results, and `error` is set.
    public func begin(in context: NSManagedObjectContext) throws { try source.begin(in: context) }

    /// The context; `nil` before the query has begun.
    public var managedObjectContext: NSManagedObjectContext? { source.context }

    // MARK: Request

    /// The key path of the property by which objects are grouped. Setting it fetches again.
    public var sectionIdentifier: KeyPath<Result, SectionIdentifier> {
        get { identifier }
        set {
            identifier = newValue
            source.sectionKeyPath = newValue
        }
    }

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

    // MARK: Results

    /// The index of the first section.
    public var startIndex: Int { 0 }

    /// The number of sections.
    public var endIndex: Int { source.sections.count }

    /// Accesses the section at an index. Traps if it is out of bounds.
    public subscript(position: Int) -> Section {
        let objects = source.objects[source.sections[position]]
        guard let first = objects.first else { misuse("section \(position) of a live query has no objects") }
        return Section(id: first[keyPath: identifier], objects)
    }

    /// The current results and those after each change, as IDs; see `NSFetchedResultsController.snapshots`. Before the
    /// query has begun in a context, the sequence ends immediately.
    public var snapshots: FetchedResultsSnapshots { source.snapshots }

    /// The future changes; see `NSFetchedResultsController.changes`.
    public var changes: FetchedResultsChanges { source.changes }
}
