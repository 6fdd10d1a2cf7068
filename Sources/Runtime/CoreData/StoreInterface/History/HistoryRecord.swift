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
