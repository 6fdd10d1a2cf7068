internal import CoreData
internal import Foundation

/// Transactions of the store's history, the newest first.
package struct HistoryPage: Codable, Sendable {
    /// A change of an object.
    package struct Change: Codable, Sendable {
        /// `insert`, `update` or `delete`.
        package var kind: String
        /// The entity of the object.
        package var entity: String
        /// Its primary key.
        package var key: String
        package var uri: String
        /// Whether it still exists.
        package var exists: Bool
        /// The properties that an update changed.
        package var properties: [String]
        /// The tombstone of a deletion: the values that were preserved.
        package var tombstone: [String: String]
    }

    /// A save.
    package struct Transaction: Codable, Sendable {
        /// The transaction number.
        package var number: Int64
        /// The time, in seconds since 2001-01-01 00:00 UTC.
        package var date: Double
        /// The transaction author that the app set.
        package var author: String?
        /// The name of the context.
        package var context: String?
        /// The bundle identifier.
        package var bundle: String
        /// The identifier of the process.
        package var process: String
        /// The changes, up to a limit.
        package var changes: [Change]
        /// The number of all changes.
        package var changeCount: Int
    }

    package var transactions: [Transaction]
    /// Whether there are older ones.
    package var hasMore: Bool
    /// The reason why there are none.
    package var note: String?

    /// The maximum number of changes that are listed for a transaction.
    private static let changeLimit = 200

    /// Reads transactions. Reads only the rows of the page, regardless of the length of the history.
    ///
    /// - Parameter before: The number of the transaction after the newest one to read; `nil` to begin with the latest.
    init(_ stack: StoreStack, before: Int64?, limit: Int) throws {
        hasMore = false
        transactions = []
        guard stack.store.type == NSSQLiteStoreType else {
            note = "Only SQLite stores keep a history."
            return
        }
        let listing = try stack.coordinator.historyListing(
            before: before, limit: limit + 1, changeLimit: Self.changeLimit)
        let found = listing?.transactions ?? []
        hasMore = found.count > limit
        let shown = found.prefix(limit)
        let existing = try Self.existing(shown.flatMap { ($0.transaction.changes ?? []).map(\.changedObjectID) }, stack)
        transactions = shown.map { Self.transaction($0.transaction, changeCount: $0.changeCount, existing) }
        if found.isEmpty, before == nil {
            note = "The store keeps no history, or it was deleted (NSPersistentHistoryTrackingKey)."
        }
    }

    /// Returns the IDs of those objects that still exist.
    private static func existing(
        _ ids: [NSManagedObjectID], _ stack: StoreStack
    ) throws -> Set<NSManagedObjectID> {
        var result: Set<NSManagedObjectID> = []
        for (entity, ids) in Dictionary(grouping: Set(ids), by: { $0.entity.name ?? "" }) {
            for part in stride(from: 0, to: ids.count, by: 500).map({ ids[$0..<min($0 + 500, ids.count)] }) {
                let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
                request.resultType = .managedObjectIDResultType
                request.predicate = NSPredicate(format: "SELF IN %@", Array(part))
                request.includesPendingChanges = false
                result.formUnion(try stack.context.fetch(request))
            }
        }
        return result
    }

    private static func transaction(
        _ transaction: NSPersistentHistoryTransaction, changeCount: Int, _ existing: Set<NSManagedObjectID>
    ) -> Transaction {
        Transaction(
            number: transaction.transactionNumber, date: transaction.timestamp.timeIntervalSinceReferenceDate,
            author: transaction.author, context: transaction.contextName, bundle: transaction.bundleID,
            process: transaction.processID, changes: (transaction.changes ?? []).map { change($0, existing) },
            changeCount: changeCount)
    }

    private static func change(
        _ change: NSPersistentHistoryChange, _ existing: Set<NSManagedObjectID>
    ) -> Change {
        let id = change.changedObjectID
        var tombstone: [String: String] = [:]
        for (key, value) in change.tombstone ?? [:] {
            guard let name = key as? String else { continue }
            let attribute = id.entity.attributesByName[name]
            let cell = attribute.map { CellReader().cell(value, $0) }
            tombstone[name] = cell?.kind == "date" ? "\(value)" : cell?.text ?? "\(value)"
        }
        return Change(
            kind: change.changeType == .insert ? "insert" : change.changeType == .delete ? "delete" : "update",
            entity: id.entity.name ?? "", key: id.keyText, uri: id.uriText, exists: existing.contains(id),
            properties: (change.updatedProperties ?? []).map(\.name).sorted(), tombstone: tombstone)
    }
}
