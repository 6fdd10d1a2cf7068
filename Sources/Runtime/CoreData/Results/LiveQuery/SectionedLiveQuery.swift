public import Foundation
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
public final class SectionedLiveResults<SectionIdentifier: Hashable, Result: NSManagedObject>: LiveRequest<Result>,
    RandomAccessCollection
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

    private var identifier: KeyPath<Result, SectionIdentifier>

    init(_ request: NSFetchRequest<Result>, _ identifier: KeyPath<Result, SectionIdentifier>) {
        self.identifier = identifier
        super.init(LiveSource(request, sectionKeyPath: identifier))
    }

    /// The key path of the property by which objects are grouped. Setting it fetches again.
    public var sectionIdentifier: KeyPath<Result, SectionIdentifier> {
        get { identifier }
        set {
            identifier = newValue
            source.sectionKeyPath = newValue
        }
    }

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
}
