public import Foundation

/// A request for the history of stores with `NSPersistentHistoryTrackingKey`, or for the deletion of a part of it.
///
/// Given to `execute(_:)` of a context. Not thread-safe: a request belongs to whoever makes it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// What is to be done.
    enum Action {
        case fetch
        case delete
    }

    /// Where it begins or ends.
    enum Limit {
        case none
        case date(Date)
        case token(NSPersistentHistoryToken)
        case transaction(number: Int64, store: String)
    }

    let action: Action
    let limit: Limit
    /// What the result is. `.transactionsAndChanges` unless set; of a deletion `.statusOnly`.
    open var resultType: NSPersistentHistoryResultType
    /// Which transactions or changes are wanted, by predicate, order and limit; nil for all.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    init(_ action: Action, _ limit: Limit) {
        self.action = action
        self.limit = limit
        resultType = action == .fetch ? .transactionsAndChanges : .statusOnly
        super.init()
    }

    /// A request for what was done after a point in time.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest { make(.fetch, .date(date)) }

    /// A request for what was done after a place in the history; nil for all.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        make(.fetch, token.map { .token($0) } ?? .none)
    }

    /// A request for what was done after a transaction; nil for all.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> NSPersistentHistoryChangeRequest
    {
        make(.fetch, limit(transaction))
    }

    /// A request for the transactions or changes that a fetch request of their entity describes.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>)
        -> NSPersistentHistoryChangeRequest
    {
        let request = make(.fetch, .none)
        request.fetchRequest = fetchRequest
        return request
    }

    /// A request to delete what is older than a point in time.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest { make(.delete, .date(date)) }

    /// A request to delete what was done before a place in the history; nil for all.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        make(.delete, token.map { .token($0) } ?? .none)
    }

    /// A request to delete what was done before a transaction; nil for all.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?)
        -> NSPersistentHistoryChangeRequest
    {
        make(.delete, limit(transaction))
    }

    private class func limit(_ transaction: NSPersistentHistoryTransaction?) -> Limit {
        transaction.map { .transaction(number: $0.transactionNumber, store: $0.storeID) } ?? .none
    }

    private class func make(_ action: Action, _ limit: Limit) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(action, limit)
    }

    /// The place that the request begins or ends at; nil for none.
    open var token: NSPersistentHistoryToken? {
        switch limit {
        case .token(let token): token
        case .transaction(let number, let store): NSPersistentHistoryToken([store: number])
        case .none, .date: nil
        }
    }

    /// A request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(action, limit)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What the result of a request for history is, with the values of Apple's framework.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it was done: a Boolean.
    case statusOnly = 0
    /// The IDs of the changed objects: an array.
    case objectIDs = 1
    /// The number of transactions.
    case count = 2
    /// The transactions without their changes: an array.
    case transactionsOnly = 3
    /// The changes: an array.
    case changesOnly = 4
    /// The transactions with their changes: an array.
    case transactionsAndChanges = 5
}

/// What came of a request for history.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// A Boolean, a number or an array, as `resultType` says.
    public let result: Any?
    /// What the result is.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
