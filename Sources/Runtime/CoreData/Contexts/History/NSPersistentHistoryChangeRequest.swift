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
    enum Action {
        case fetch
        case delete
    }

    /// The position from which to fetch, or up to which to delete.
    enum Position {
        /// The beginning for a fetch; no position for a deletion, which then deletes nothing.
        case none
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    let action: Action
    let position: Position
    private var type: NSPersistentHistoryResultType
    private var fetch: NSFetchRequest<any NSFetchRequestResult>?

    init(_ action: Action, _ position: Position) {
        self.action = action
        self.position = position
        type = action == .fetch ? .transactionsAndChanges : .statusOnly
        super.init()
    }

    /// Returns a request for the transactions after a date.
    public class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, .date(date))
    }

    /// Returns a request for the transactions after a token; `nil` for all.
    ///
    /// Executing the request throws an error with the code 134301 if some of them have been deleted: the app must then
    /// read the objects again.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, token.map { .token($0) } ?? .none)
    }

    /// Returns a request for the transactions after another one; `nil` for all.
    public class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch, transaction.map { .token($0.token) } ?? .none)
    }

    /// Returns a request for the transactions or changes that a fetch request from
    /// `NSPersistentHistoryTransaction.fetchRequest` or `NSPersistentHistoryChange.fetchRequest` matches.
    public class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSPersistentHistoryChangeRequest {
        let request = NSPersistentHistoryChangeRequest(.fetch, .none)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Returns a request to delete the transactions before a date.
    public class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, .date(date))
    }

    /// Returns a request to delete the transactions before that of a token, which is kept. With `nil` it deletes
    /// nothing.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, token.map { .token($0) } ?? .none)
    }

    /// Returns a request to delete the transactions before another one, which is kept. With `nil` it deletes nothing.
    public class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete, transaction.map { .token($0.token) } ?? .none)
    }

    /// The kind of result. The default is `.transactionsAndChanges` for a fetch and `.statusOnly` for a deletion.
    open var resultType: NSPersistentHistoryResultType {
        get { type }
        set { type = newValue }
    }

    /// The token that the request was created with; `nil` if there was none.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token) = position { token } else { nil }
    }

    /// The fetch request that filters, sorts and limits the transactions or changes: a request for the entity of
    /// `NSPersistentHistoryTransaction` or `NSPersistentHistoryChange`. Nil for all.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { fetch }
        set { fetch = newValue }
    }

    /// The closest public kind of request: Apple's own is private.
    open override var requestType: NSPersistentStoreRequestType {
        action == .fetch ? .fetchRequestType : .batchDeleteRequestType
    }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(action, position)
        copy.type = type
        copy.fetch = fetch.map { NSFetchRequest(settings: $0.settings) }
        copy.affectedStores = affectedStores
        return copy
    }
}
