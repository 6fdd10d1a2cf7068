public import Foundation
internal import RuntimeSupport

/// A search for the objects of an entity that match a predicate, in a given order.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.predicate = NSPredicate(format: "rating > %d", 3)
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// request.fetchLimit = 20
/// let books = try context.fetch(request)
/// ```
///
/// Properties and their defaults equal Apple's. Not thread-safe: use a request on the thread that created it.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest, NSSecureCoding {
    /// The settings of the request, independent of the type of its results.
    final var settings = FetchSettings()

    /// Creates a request without an entity.
    public override init() {
        super.init()
    }

    /// Creates the request in an archive, whose entity is looked up by name when the request is executed; returns `nil`
    /// if the archive is damaged or was not written by this framework.
    public required init?(coder: NSCoder) {
        guard let settings = DescriptionArchive.request(from: coder) else { return nil }
        super.init()
        self.settings = settings
    }

    /// Archives the request without `affectedStores`, in a format that only this framework reads. Traps if a part
    /// cannot be archived, such as a predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(settings, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// The class that stands for `NSFetchRequest` in archives. Unarchivers decode it as
    /// `NSFetchRequest<NSFetchRequestResult>`.
    open override var classForKeyedArchiver: AnyClass? { ArchivedFetchRequest.self }

    /// Creates a request for the objects of an entity, which is looked up in the model of the context that executes it.
    public convenience init(entityName: String) {
        self.init()
        settings.entityName = entityName
        (ResultType.self as? any RequestedResult.Type)?.didRequest()
    }

    /// Creates a copy of a request with another result type, in place of a cast, which Swift does not allow between
    /// `NSFetchRequest<Book>` and `NSFetchRequest<NSFetchRequestResult>`.
    ///
    /// ```swift
    /// let books = NSFetchRequest<Book>(model.fetchRequestTemplate(forName: "All")!)
    /// ```
    public convenience init<Other>(_ request: NSFetchRequest<Other>) {
        self.init()
        settings = request.settings
    }

    /// Creates a request with settings.
    convenience init(settings: FetchSettings) {
        self.init()
        self.settings = settings
    }

    /// The entity to fetch; `nil` if the request so far only has its name.
    open var entity: NSEntityDescription? {
        get { settings.entity }
        set {
            settings.entity = newValue
            settings.entityName = newValue?.name
        }
    }

    /// The name of the entity to fetch.
    open var entityName: String? { settings.entity?.name ?? settings.entityName }

    /// The condition that objects must meet; `nil` for all objects.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = newValue }
    }

    /// The order of the results; `nil` or empty for an unspecified order.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The maximum number of results. The default, 0, means no limit.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }

    /// The number of initial results to skip. The default is 0.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }

    /// The number of objects that are loaded at a time. The default, 0, means all at once. The array of results is
    /// complete, but contains faults: when one of them is fired, the values of its whole batch are loaded.
    /// `NSManagedObjectContext.enumerate(_:batchSize:block:)` does not keep all objects in memory.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }

    /// The kind of results. The default is managed objects.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }

    /// Whether objects of subentities are included. The default is `true`.
    open var includesSubentities: Bool {
        get { settings.includesSubentities }
        set { settings.includesSubentities = newValue }
    }

    /// Whether property values are loaded with the objects and cached until a fault is fired. The default is `true`.
    open var includesPropertyValues: Bool {
        get { settings.includesPropertyValues }
        set { settings.includesPropertyValues = newValue }
    }

    /// Whether the objects are returned as faults. The default is `true`.
    open var returnsObjectsAsFaults: Bool {
        get { settings.returnsObjectsAsFaults }
        set { settings.returnsObjectsAsFaults = newValue }
    }

    /// Whether unsaved changes of the context are considered. The default is `true`. The request is matched again only
    /// against objects that have changes themselves; changes of related objects are not considered. Dictionaries always
    /// contain saved values.
    open var includesPendingChanges: Bool {
        get { settings.includesPendingChanges }
        set { settings.includesPendingChanges = newValue }
    }

    /// Whether duplicate dictionaries are removed from the results. The default is `false`.
    open var returnsDistinctResults: Bool {
        get { settings.returnsDistinctResults }
        set { settings.returnsDistinctResults = newValue }
    }

    /// Whether registered objects are refreshed with the values of the store. The default is `false`.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.shouldRefreshRefetchedObjects }
        set { settings.shouldRefreshRefetchedObjects = newValue }
    }

    /// The key paths of relationships whose objects are prefetched; `nil` if there are none.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.prefetchedKeyPaths }
        set { settings.prefetchedKeyPaths = newValue }
    }

    override var searchedStores: [AnyObject]? {
        get { settings.affectedStores }
        set { settings.affectedStores = newValue }
    }

    /// `fetchRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The columns of dictionaries: names of properties, key paths over to-one relationships, descriptions of
    /// properties, or expression descriptions; `nil` for all stored attributes and to-one relationships, which give
    /// IDs.
    ///
    /// An expression with a function of a row's values (`count:`, `sum:`, `min:`, `max:`, `average:`) is computed over
    /// all rows, or over those of a group; missing values are ignored. Traps on unknown properties, to-many
    /// relationships and transient properties.
    open var propertiesToFetch: [Any]? {
        get { settings.propertiesToFetch }
        set { settings.propertiesToFetch = newValue }
    }

    /// The columns by which dictionaries are grouped, in the forms of `propertiesToFetch`, which may then only contain
    /// these and functions over rows; `nil` for no groups. Executing the request traps if the result type is not
    /// dictionaries.
    open var propertiesToGroupBy: [Any]? {
        get { settings.propertiesToGroupBy }
        set { settings.propertiesToGroupBy = newValue }
    }

    /// The condition that groups must meet; `nil` for all groups. It may contain grouped values, functions over the
    /// rows of a group, and variables that stand for columns: `$total > 3`. Executing the request traps without groups.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = newValue }
    }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any { NSFetchRequest<ResultType>(settings: settings) }

    /// A textual description of the request, for debugging.
    open override var description: String {
        let order = (sortDescriptors ?? []).map { "\($0)" }.joined(separator: ", ")
        return
            "<NSFetchRequest> (entity: \(entityName ?? "(null)"); predicate: (\(predicate.map { "\($0)" } ?? "(null)")); "
            + "sortDescriptors: (\(order)); limit: \(fetchLimit); type: \(resultType.rawValue))"
    }
}
