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
        /// Its URI.
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

    /// The transactions.
    package var transactions: [Transaction]
    /// Whether there are older ones.
    package var hasMore: Bool
    /// The reason why there are none.
    package var note: String?

    /// The maximum number of changes that are listed for a transaction.
    private static let changeLimit = 200

    /// Reads transactions.
    ///
    /// - Parameter before: The number of the transaction after the newest one to read; `nil` to begin with the latest.
    init(_ stack: StoreStack, before: Int64?, limit: Int) throws {
        guard stack.store.type == NSSQLiteStoreType else {
            transactions = []
            hasMore = false
            note = "Only SQLite stores keep a history."
            return
        }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .transactionsAndChanges
        let result: NSPersistentHistoryResult?
        do {
            result = try stack.context.execute(request) as? NSPersistentHistoryResult
        } catch let error as NSError where error.code == 134_091 || error.code == 134_093 {
            result = nil
        }
        let all = (result?.result as? [NSPersistentHistoryTransaction]) ?? []
        let older = all.filter { $0.transactionNumber < before ?? .max }
            .sorted { $0.transactionNumber > $1.transactionNumber }
        hasMore = older.count > limit
        transactions = older.prefix(limit).map { Self.transaction($0, stack) }
        note = all.isEmpty ? "The store keeps no history, or it was deleted (NSPersistentHistoryTrackingKey)." : nil
    }

    private static func transaction(_ transaction: NSPersistentHistoryTransaction, _ stack: StoreStack) -> Transaction {
        let changes = transaction.changes ?? []
        return Transaction(
            number: transaction.transactionNumber, date: transaction.timestamp.timeIntervalSinceReferenceDate,
            author: transaction.author, context: transaction.contextName, bundle: transaction.bundleID,
            process: transaction.processID, changes: changes.prefix(changeLimit).map { change($0, stack) },
            changeCount: changes.count)
    }

    private static func change(_ change: NSPersistentHistoryChange, _ stack: StoreStack) -> Change {
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
            entity: id.entity.name ?? "", key: id.keyText, uri: id.uriText,
            exists: (try? stack.context.existingObject(with: id)) != nil,
            properties: (change.updatedProperties ?? []).map(\.name).sorted(), tombstone: tombstone)
    }
}
