public import Foundation

/// A query for models of a class.
///
/// ```swift
/// var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.title)])
/// descriptor.fetchLimit = 10
/// let books = try context.fetch(descriptor)
/// ```
public struct FetchDescriptor<T: PersistentModel>: Equatable, @unchecked Sendable {
    /// The condition that models meet; `nil` for all models.
    public var predicate: Predicate<T>?
    /// The order.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of models; `nil` or 0 for all.
    public var fetchLimit: Int?
    /// The number of models to skip.
    public var fetchOffset: Int?
    /// Whether unsaved changes are taken into account. The default is `true`.
    public var includePendingChanges = true
    /// The attributes to load; empty for all. On Linux, all attributes are loaded.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// The relationships whose models are loaded, too.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// Creates a query.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }

    /// Returns whether two queries have the same settings.
    public static func == (lhs: FetchDescriptor, rhs: FetchDescriptor) -> Bool {
        PredicateIdentity.areEqual(lhs.predicate, rhs.predicate) && lhs.sortBy == rhs.sortBy
            && lhs.fetchLimit == rhs.fetchLimit && lhs.fetchOffset == rhs.fetchOffset
            && lhs.includePendingChanges == rhs.includePendingChanges
            && lhs.propertiesToFetch == rhs.propertiesToFetch
            && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
    }
}

/// The results of a fetch in batches: the models are loaded as they are accessed.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    private let load: (Int) -> Element
    private let total: Int

    init(count: Int, _ load: @escaping (Int) -> Element) {
        total = count
        self.load = load
    }

    /// The position of the first element: 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { total }
    /// Returns an element.
    public subscript(position: Int) -> Element { load(position) }
}
