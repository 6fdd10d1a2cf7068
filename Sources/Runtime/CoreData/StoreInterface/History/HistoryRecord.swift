internal import Foundation

/// A transaction in a store's history.
package struct HistoryRecord {
    /// A change in the transaction.
    package struct Change {
        package var number: Int64
        package var kind: NSPersistentHistoryChangeType
        package var id: NSManagedObjectID
        /// The slots of an update; `nil` if they are not known.
        package var slots: [Int]?
        /// The tombstone of a deleted object, by attribute name; `nil` if there is none.
        package var tombstone: [AnyHashable: Any]?

        package init(
            number: Int64, kind: NSPersistentHistoryChangeType, id: NSManagedObjectID, slots: [Int]? = nil,
            tombstone: [AnyHashable: Any]? = nil
        ) {
            self.number = number
            self.kind = kind
            self.id = id
            self.slots = slots
            self.tombstone = tombstone
        }
    }

    package var number: Int64
    package var storeUUID: String
    package var timestamp: Date
    package var author: String?
    package var contextName: String?
    package var bundleID: String
    package var processID: String
    /// The changes; `nil` if they were not requested.
    package var changes: [Change]?

    package init(
        number: Int64, storeUUID: String, timestamp: Date, author: String? = nil, contextName: String? = nil,
        bundleID: String, processID: String, changes: [Change]? = nil
    ) {
        self.number = number
        self.storeUUID = storeUUID
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleID = bundleID
        self.processID = processID
        self.changes = changes
    }
}

/// A position in a store's history.
package enum HistoryPosition {
    /// Before the first transaction.
    case beginning
    case transaction(Int64)
    case date(Date)
}
