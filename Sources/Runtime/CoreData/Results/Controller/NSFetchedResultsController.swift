public import Foundation
internal import RuntimeSupport

/// The results of a fetch request, grouped into sections, and the changes to them.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let controller = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
/// try controller.performFetch()
/// let first = controller.object(at: IndexPath(indexes: [0, 0]))
/// ```
///
/// A controller without a delegate shows the results of its last fetch. With a delegate, or while its `snapshots` or
/// `changes` are being iterated, it follows its context: after a change, only the changed objects are examined, and
/// their positions are found by binary search.
///
/// As on Apple's platforms, an unchanged object is not moved when a related object changes that its predicate, sort key
/// or section key refers to. A request with a limit or an offset is fetched again after changes that may affect it.
///
/// Use a controller on its context's queue only. It retains the context.
nonisolated open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject, ResultsOwner {
    /// The implementation, independent of the result type.
    final let core: ResultsCore
    private let request: NSFetchRequest<ResultType>
    private var typed: [ResultType]?
    /// The views of other result types, each at most once: delegates get one, and casts may ask for others.
    private var views: [any ResultsOwner] = []

    /// Creates a controller, which has no results until `performFetch()` is called.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request, which fetches objects in an order. Traps if `sortDescriptors` is `nil`, or if the
    ///     request fetches anything but objects; an empty array leaves the order to the store. The request is read by
    ///     each `performFetch()`.
    ///   - context: The context that executes the request, and whose changes are followed.
    ///   - sectionNameKeyPath: The key path of the section names; `nil` for no sections. The request must sort the
    ///     objects of each section together.
    ///   - name: Accepted without effect, because nothing needs to be cached.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        request = fetchRequest
        core = ResultsCore(fetchRequest.settings, context, sectionNameKeyPath: sectionNameKeyPath)
        cacheName = name
        super.init()
        core.owner = self
    }

    /// Creates another view of a controller's results.
    init(_ core: ResultsCore, _ request: NSFetchRequest<ResultType>, cacheName: String?) {
        self.core = core
        self.request = request
        self.cacheName = cacheName
        super.init()
    }

    /// Executes the request. Call it again after changing the request.
    ///
    /// - Throws: An `NSError` of Cocoa's domain; its code is 134060 if the request does not sort the objects of each
    ///   section together.
    open func performFetch() throws { try core.performFetch(request.settings) }

    // MARK: Configuration

    /// The fetch request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }

    /// The context.
    open var managedObjectContext: NSManagedObjectContext { core.context }

    /// The key path of the section names; `nil` if there is none.
    open var sectionNameKeyPath: String? { core.sections.keyPath }

    /// The name of the cache; `nil` if there is none.
    public let cacheName: String?

    /// The delegate that is notified of changes. Not retained.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }

    /// Accepts the name of a cache, or `nil` for all caches. Does nothing, because sections are not cached.
    open class func deleteCache(withName name: String?) {}

    // MARK: Results

    /// The objects, in order; `nil` before the first fetch.
    open var fetchedObjects: [ResultType]? {
        if let typed { return typed }
        guard let contents = core.contents else { return nil }
        guard let objects = contents.objects as [AnyObject] as? [ResultType] else {
            misuse("NSInvalidArgumentException", "the results of the controller are not of type \(ResultType.self)")
        }
        typed = objects
        return objects
    }

    /// The sections; a single one if there is no section key path, `nil` before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? { core.sectionInfos }

    /// Returns the object at an index path. Traps if it is out of bounds.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard indexPath.count == 2, let object = core.contents?.object(at: indexPath) else {
            misuse(
                "NSInvalidArgumentException",
                "no object at index \(indexPath.last ?? 0) in section at index "
                    + "\(indexPath.first ?? 0)")
        }
        guard let result = object as AnyObject as? ResultType else {
            misuse("NSInvalidArgumentException", "the results of the controller are not of type \(ResultType.self)")
        }
        return result
    }

    /// Returns the index path of an object, or `nil` if it is not among the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as AnyObject as? NSManagedObject).flatMap { core.indexPath(of: $0) }
    }

    // MARK: Section index

    /// The titles of the section index: one per section, with equal adjacent titles merged.
    open var sectionIndexTitles: [String] { core.indexTitles.map(\.title) }

    /// Returns the title of a section: its name's first letter, capitalized; `nil` for a section without a name.
    /// Subclasses may override it.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        if let owner = core.owner, owner !== self { return owner.sectionIndexTitle(forSectionName: sectionName) }
        return sectionName.first.map { String($0).uppercased() }
    }

    /// Returns the index of the first section with a title.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - sectionIndex: Its index in `sectionIndexTitles`. Traps if another title is there.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let titles = core.indexTitles
        guard titles.indices.contains(sectionIndex), titles[sectionIndex].title == title else {
            misuse("NSInvalidArgumentException", "no section index title “\(title)” at index \(sectionIndex)")
        }
        return titles[sectionIndex].section
    }

    // MARK: Typed and untyped views

    /// The controller as passed to delegates.
    final var erased: NSFetchedResultsController<any NSFetchRequestResult> { view() }

    /// Returns the controller with another result type: the same instance for the same type.
    final func view<Other: NSFetchRequestResult>() -> NSFetchedResultsController<Other> {
        if let same = (self as AnyObject) as? NSFetchedResultsController<Other> { return same }
        // A view of a view would not be told when the results change.
        if let owner = core.owner, owner !== self { return owner.view() }
        for case let view as NSFetchedResultsController<Other> in views { return view }
        let view = NSFetchedResultsController<Other>(
            core, NSFetchRequest(settings: request.settings), cacheName: cacheName)
        views.append(view)
        return view
    }

    /// Drops the cached typed objects.
    final func forgetObjects() {
        typed = nil
        for view in views { view.forgetObjects() }
    }

    /// Returns whether both are views of the same controller.
    open override func isEqual(_ object: Any?) -> Bool { (object as? any ResultsOwner)?.core === core }

    /// The hash of the underlying controller.
    open override var hash: Int { ObjectIdentifier(core).hashValue }
}

/// A controller with any result type.
protocol ResultsOwner: AnyObject {
    var core: ResultsCore { get }
    var erased: NSFetchedResultsController<any NSFetchRequestResult> { get }
    func view<Other: NSFetchRequestResult>() -> NSFetchedResultsController<Other>
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
    /// Drops what was cached of the results.
    func forgetObjects()
}

/// Returns whether an object is the controller that a delegate was handed.
///
/// Delegates get a controller of `any NSFetchRequestResult`, which is a different instance than a controller of a
/// specific class.
public func === (lhs: NSFetchedResultsController<any NSFetchRequestResult>?, rhs: AnyObject?) -> Bool {
    isSameController(lhs, rhs)
}

/// Returns whether an object is the controller that a delegate was handed.
public func === (lhs: AnyObject?, rhs: NSFetchedResultsController<any NSFetchRequestResult>?) -> Bool {
    isSameController(lhs, rhs)
}

/// Returns whether two controllers that delegates were handed are the same.
public func === (
    lhs: NSFetchedResultsController<any NSFetchRequestResult>?,
    rhs: NSFetchedResultsController<any NSFetchRequestResult>?
) -> Bool {
    isSameController(lhs, rhs)
}

/// Returns whether an object is not the controller that a delegate was handed.
public func !== (lhs: NSFetchedResultsController<any NSFetchRequestResult>?, rhs: AnyObject?) -> Bool {
    !isSameController(lhs, rhs)
}

/// Returns whether an object is not the controller that a delegate was handed.
public func !== (lhs: AnyObject?, rhs: NSFetchedResultsController<any NSFetchRequestResult>?) -> Bool {
    !isSameController(lhs, rhs)
}

/// Returns whether two controllers that delegates were handed differ.
public func !== (
    lhs: NSFetchedResultsController<any NSFetchRequestResult>?,
    rhs: NSFetchedResultsController<any NSFetchRequestResult>?
) -> Bool {
    !isSameController(lhs, rhs)
}

private func isSameController(_ lhs: AnyObject?, _ rhs: AnyObject?) -> Bool {
    guard let lhs = lhs as? any ResultsOwner, let rhs = rhs as? any ResultsOwner else {
        return lhs == nil && rhs == nil
    }
    return lhs.core === rhs.core
}

/// Returns a results controller with another result type; traps if the value is not a results controller.
///
/// Swift's generic classes are distinct types, so that `controller as! NSFetchedResultsController<Book>` always fails.
/// modelc's copies of sources have this operator in its place.
///
/// - Returns: The controller itself if it has the type, otherwise another view of the same results.
public func ~>! <Result>(
    controller: Any?, type: NSFetchedResultsController<Result>.Type
) -> NSFetchedResultsController<Result> {
    guard let result = controller ~>? type else {
        misuse(
            "NSInvalidArgumentException",
            "\(controller.map { "\($0)" } ?? "nil") is not a fetched results controller")
    }
    return result
}

/// Returns a results controller with another result type, or `nil` if the value is not a results controller.
///
/// - Returns: The controller itself if it has the type, otherwise another view of the same results.
public func ~>? <Result>(
    controller: Any?, type: NSFetchedResultsController<Result>.Type
) -> NSFetchedResultsController<Result>? {
    (controller as? any ResultsOwner)?.view()
}
