internal import Foundation

/// A transaction as a store has it.
struct HistoryRecord {
    /// One of its changes.
    struct Change {
        var number: Int64
        var kind: NSPersistentHistoryChangeType
        var id: NSManagedObjectID
        /// The slots of an update; nil if they are not known.
        var slots: [Int]?
        /// The tombstone of a deleted object, by attribute name; nil for none.
        var tombstone: [AnyHashable: Any]?
    }

    var number: Int64
    var storeUUID: String
    var timestamp: Date
    var author: String?
    var contextName: String?
    var bundleID: String
    var processID: String
    /// Nil if they were not wanted.
    var changes: [Change]?
}

/// A place in a store's history.
enum HistoryPlace {
    /// Before the first transaction.
    case beginning
    /// At a transaction.
    case transaction(Int64)
    /// At a moment.
    case date(Date)
}

/// A store that can keep a history. Called under the coordinator's lock.
protocol HistoryKeeping: NSPersistentStore {
    /// Whether there is a history.
    var keepsHistory: Bool { get }

    /// Returns the number of the last transaction, or 0 before the first.
    func lastTransaction() throws -> Int64

    /// The number of the last transaction that this store has written, if it knows that without asking a server.
    var lastOwnTransaction: Int64? { get }

    /// Returns the transactions behind a place, by number.
    ///
    /// - Throws: an error with the code 134301 if some of them are gone.
    func history(after place: HistoryPlace, includesChanges: Bool) throws -> [HistoryRecord]

    /// Removes the transactions before a place, and says how many there were.
    func deleteHistory(before place: HistoryPlace) throws -> Int
}

extension HistoryKeeping {
    var lastOwnTransaction: Int64? { nil }
}
