internal import Foundation

/// What the result of a request for history is, with the values of Apple's framework.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it was done: a Boolean.
    case statusOnly = 0
    /// The IDs of the objects that were changed: an array without repetitions.
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

/// What came of a request for history.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    private let value: Any?
    private let type: NSPersistentHistoryResultType

    init(_ value: Any?, _ type: NSPersistentHistoryResultType) {
        self.value = value
        self.type = type
        super.init()
    }

    /// What `resultType` says.
    open var result: Any? { value }

    /// What the result is.
    open var resultType: NSPersistentHistoryResultType { type }
}
