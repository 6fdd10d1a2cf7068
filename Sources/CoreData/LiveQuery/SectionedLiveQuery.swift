public import Foundation
public import Observation

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

    /// The sections, as they are now.
    public var wrappedValue: SectionedLiveResults<SectionIdentifier, Result> { projectedValue }

    /// Creates a query, which has no results until it begins in a context.
    ///
    /// - Parameters:
    ///   - entity: the entity; that of the class unless given.
    ///   - sectionIdentifier: what is the same for all objects of a section: a key path to a property of the model.
    ///   - sortDescriptors: the order, in which the objects of a section must stand together.
    ///   - predicate: which objects; nil for all.
    ///   - context: where it begins at once; nil to call `begin(in:)` later.
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

    /// Creates a query of a request; see the other initializer.
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
        /// What is the same for all objects of the section.
        public let id: SectionIdentifier
        private let objects: ArraySlice<Result>

        init(id: SectionIdentifier, _ objects: ArraySlice<Result>) {
            self.id = id
            self.objects = objects
        }

        /// The number of the first object.
        public var startIndex: Int { 0 }

        /// How many objects there are.
        public var endIndex: Int { objects.count }

        /// An object by its number in the section. One that does not exist traps.
        public subscript(position: Int) -> Result { objects[objects.startIndex + position] }
    }

    private let source: LiveSource<Result>
    private var identifier: KeyPath<Result, SectionIdentifier>

    init(_ request: NSFetchRequest<Result>, _ identifier: KeyPath<Result, SectionIdentifier>) {
        self.identifier = identifier
        source = LiveSource(request, sectionKeyPath: identifier)
    }

    func tryToBegin(in context: NSManagedObjectContext?) { source.tryToBegin(in: context) }

    /// Fetches, and follows the changes of a context from now on.
    ///
    /// - Throws: what the fetch throws; the query has no results then, and the error in `error`.
    public func begin(in context: NSManagedObjectContext) throws { try source.begin(in: context) }

    /// The context; nil before the query has begun.
    public var managedObjectContext: NSManagedObjectContext? { source.context }

    // MARK: Request

    /// What is the same for all objects of a section. Setting it fetches again.
    public var sectionIdentifier: KeyPath<Result, SectionIdentifier> {
        get { identifier }
        set {
            identifier = newValue
            source.sectionKeyPath = newValue
        }
    }

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

    /// The number of the first section.
    public var startIndex: Int { 0 }

    /// How many sections there are.
    public var endIndex: Int { source.sections.count }

    /// A section by its number. One that does not exist traps.
    public subscript(position: Int) -> Section {
        let objects = source.objects[source.sections[position]]
        guard let first = objects.first else { misuse("section \(position) of a live query has no objects") }
        return Section(id: first[keyPath: identifier], objects)
    }

    /// The results now and after each change, as IDs; see `NSFetchedResultsController.snapshots`. Of the context that the query
    /// has begun in; ends at once before that.
    public var snapshots: FetchedResultsSnapshots { source.snapshots }

    /// The changes from now on; see `NSFetchedResultsController.changes`.
    public var changes: FetchedResultsChanges { source.changes }
}
