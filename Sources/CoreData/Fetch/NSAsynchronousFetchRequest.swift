public import Foundation

/// A fetch that is carried out in the background: the objects are looked for on another thread, and handed over on the context's
/// queue.
///
/// It is given to `execute(_:)` of a context, which gives an `NSAsynchronousFetchResult` at once. Not thread-safe: a request
/// belongs to whoever makes it, and to the context from then on.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    private let request: NSFetchRequest<ResultType>
    private let completion: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    private var expected = 0

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - blk: called on the context's queue when the results are there, or when the fetch has failed or was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        self.request = request
        completion = blk
        super.init()
        affectedStores = request.affectedStores
    }

    /// What is asked for.
    open var fetchRequest: NSFetchRequest<ResultType> { request }

    /// What is called at the end.
    open var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? { completion }

    /// How many results are expected: the total of `progress` until their number is known. 0, the default, for not known.
    open var estimatedResultCount: Int {
        get { expected }
        set { expected = newValue }
    }

    /// `fetchRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// A request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSAsynchronousFetchRequest(
            fetchRequest: NSFetchRequest<ResultType>(settings: request.settings), completionBlock: completion)
        copy.expected = expected
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What will come of an asynchronous fetch.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult {
    private let request: NSAsynchronousFetchRequest<ResultType>
    private var results: [ResultType]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ progress: Progress?
    ) {
        self.request = request
        super.init(context, progress)
    }

    /// What was asked for.
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> { request }

    /// What was found; nil until the end, and when the fetch has failed or was cancelled.
    open internal(set) var finalResult: [ResultType]? {
        get { results }
        set { results = newValue }
    }
}
