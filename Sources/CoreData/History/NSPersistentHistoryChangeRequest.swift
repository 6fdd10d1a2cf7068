public import Foundation

/// A request for the history of the stores, or to delete its oldest part.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
/// ```
///
/// Not thread-safe: use a request on the thread that created it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// What is done.
    enum Action {
        case fetch
        case delete
    }

    /// From where, or up to where.
    enum Place {
        /// For a fetch the beginning; for a deletion nothing.
        case none
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    let action: Action
    let place: Place
    private var type: NSPersistentHistoryResultType
    private var fetch: NSFetchRequest<any NSFetchRequestResult>?

    init(_ action: Action, _ place: Place) {
        self.action = action
        self.place = place
        type = action == .fetch ? .transactionsAndChanges : .statusOnly
        super.init()
    }

    /// Asks for the transactions after a moment.
    public class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, .date(date))
    }

    /// Asks for the transactions after a token; nil for all.
    ///
    /// Executing the request throws an error of the code 134301 if some of them were deleted meanwhile: who has missed them
    /// has to read the objects again.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, token.map { .token($0) } ?? .none)
    }

    /// Asks for the transactions after another one; nil for all.
    public class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, transaction.map { .token($0.token) } ?? .none)
    }

    /// Asks for the transactions or changes that a fetch request of `NSPersistentHistoryTransaction.fetchRequest` or
    /// `NSPersistentHistoryChange.fetchRequest` describes.
    public class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSPersistentHistoryChangeRequest {
        let request = NSPersistentHistoryChangeRequest(.fetch, .none)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Removes the transactions before a moment.
    public class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, .date(date))
    }

    /// Removes the transactions before that of a token, which stays; nil for nothing.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, token.map { .token($0) } ?? .none)
    }

    /// Removes the transactions before another one, which stays; nil for nothing.
    public class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, transaction.map { .token($0.token) } ?? .none)
    }

    /// The kind of result. Unless set, `.transactionsAndChanges` of a fetch and `.statusOnly` of a deletion.
    open var resultType: NSPersistentHistoryResultType {
        get { type }
        set { type = newValue }
    }

    /// The token that the request was made of; nil if it was made of something else.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token) = place { token } else { nil }
    }

    /// Which transactions or changes of those behind the place are wanted, in which order and how many: a request for the entity
    /// of `NSPersistentHistoryTransaction` or `NSPersistentHistoryChange`. Nil for all.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { fetch }
        set { fetch = newValue }
    }

    /// The kind of what is nearest to it among the public kinds: Apple's own is private.
    open override var requestType: NSPersistentStoreRequestType {
        action == .fetch ? .fetchRequestType : .batchDeleteRequestType
    }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(action, place)
        copy.type = type
        copy.fetch = fetch.map { NSFetchRequest(settings: $0.settings) }
        copy.affectedStores = affectedStores
        return copy
    }
}
