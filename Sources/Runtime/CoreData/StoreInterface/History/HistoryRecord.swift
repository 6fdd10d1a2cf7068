internal import Foundation

/// A transaction in a store's history.
struct HistoryRecord {
    /// A change in the transaction.
    struct Change {
        var number: Int64
        var kind: NSPersistentHistoryChangeType
        var id: NSManagedObjectID
        /// The slots of an update; nil if they are not known.
        var slots: [Int]?
        /// The tombstone of a deleted object, by attribute name; nil if there is none.
        var tombstone: [AnyHashable: Any]?
    }

    var number: Int64
    var storeUUID: String
    var timestamp: Date
    var author: String?
    var contextName: String?
    var bundleID: String
    var processID: String
    /// The changes; nil if they were not requested.
    var changes: [Change]?
}

/// A position in a store's history.
enum HistoryPosition {
    /// Before the first transaction.
    case beginning
    /// At a transaction.
    case transaction(Int64)
    /// At a date.
    case date(Date)
}

/// A store that can keep a history. Called under the coordinator's lock.
protocol HistoryKeeping: AnyObject {
    /// Whether the store keeps a history.
    var keepsHistory: Bool { get }

    /// Returns the number of the last transaction, or 0 before the first.
    func lastTransaction() throws -> Int64

    /// The number of the last transaction written by this store, if it is known without querying a server.
    var lastOwnTransaction: Int64? { get }

    /// Returns the transactions after a position, ordered by number.
    ///
    /// - Throws: an error with the code 134301 if some of them have been deleted.
    func history(after position: HistoryPosition, includesChanges: Bool) throws -> [HistoryRecord]

    /// Removes the transactions before a position, and returns their number.
    func deleteHistory(before position: HistoryPosition) throws -> Int
}

extension HistoryKeeping {
    var lastOwnTransaction: Int64? { nil }
}
