internal import Foundation

/// The kind of result that a history request returns. Raw values equal Apple's.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
/// request.resultType = .transactionsOnly
/// ```
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether the request succeeded: a Boolean.
    case statusOnly = 0
    /// The IDs of the changed objects: an array without duplicates.
    case objectIDs = 1
    /// The number of transactions, or of changes if the request fetches changes.
    case count = 2
    /// Transactions without their changes: an array.
    case transactionsOnly = 3
    /// Changes: an array.
    case changesOnly = 4
    /// Transactions with their changes: an array.
    case transactionsAndChanges = 5
}

/// The result of a history request.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: -7 * 24 * 3600))
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// ```
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    private let value: Any?
    private let type: NSPersistentHistoryResultType

    init(_ value: Any?, _ type: NSPersistentHistoryResultType) {
        self.value = value
        self.type = type
        super.init()
    }

    /// The result, of the kind given by `resultType`.
    open var result: Any? { value }

    /// The kind of result.
    open var resultType: NSPersistentHistoryResultType { type }
}
