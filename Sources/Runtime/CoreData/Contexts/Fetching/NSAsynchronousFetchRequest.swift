public import Foundation

/// A fetch that runs in the background and delivers its objects on the context's queue.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest()) { result in
///     print(result.finalResult?.count ?? 0)
/// }
/// try context.execute(request)
/// ```
///
/// `execute(_:)` returns an `NSAsynchronousFetchResult` immediately. Not thread-safe: after executing it, use the
/// request on the context's queue only.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    private let request: NSFetchRequest<ResultType>
    private let completion: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    private var expected = 0

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - request: The fetch request.
    ///   - blk: Called on the context's queue when the fetch has finished, failed or been cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        self.request = request
        completion = blk
        super.init()
        affectedStores = request.affectedStores
    }

    /// The fetch request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }

    /// The closure that is called when the fetch ends.
    open var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? { completion }

    /// The expected number of results, which is the total of `progress` until the actual number is known. The default,
    /// 0, means unknown.
    open var estimatedResultCount: Int {
        get { expected }
        set { expected = newValue }
    }

    /// `fetchRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSAsynchronousFetchRequest(
            fetchRequest: NSFetchRequest<ResultType>(settings: request.settings), completionBlock: completion)
        copy.expected = expected
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The pending result of an asynchronous fetch.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest(), completionBlock: nil)
/// let result = try context.execute(request) as? NSAsynchronousFetchResult<Book>
/// result?.cancel()
/// ```
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult {
    private let request: NSAsynchronousFetchRequest<ResultType>
    private var results: [ResultType]?

    init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, progress: Progress?
    ) {
        self.request = request
        super.init(context, progress)
    }

    /// The request that was executed.
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> { request }

    /// The results; `nil` until the fetch ends, and if it failed or was cancelled.
    open internal(set) var finalResult: [ResultType]? {
        get { results }
        set { results = newValue }
    }
}
