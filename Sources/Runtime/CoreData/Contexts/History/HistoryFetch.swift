internal import Foundation

/// Builds the result of a history request from the stores' records.
struct HistoryFetch {
    let request: NSPersistentHistoryChangeRequest

    private var settings: FetchSettings? { request.fetchRequest?.settings }

    /// Whether the request's fetch request asks for changes.
    private var asksForChanges: Bool { settings?.entity?.name == HistoryEntities.change?.name && settings != nil }

    /// Whether stores have to read changes.
    var needsChanges: Bool {
        switch request.resultType {
        case .statusOnly, .count, .transactionsOnly: asksForChanges
        case .objectIDs, .changesOnly, .transactionsAndChanges: true
        }
    }

    /// Returns the result for sorted records.
    func result(_ records: [HistoryRecord]) throws -> NSPersistentHistoryResult {
        var transactions = records.map { NSPersistentHistoryTransaction($0) }
        var changes: [NSPersistentHistoryChange]?
        if let settings {
            if asksForChanges {
                let found = try chosen(transactions.flatMap { $0.changes ?? [] }, settings)
                transactions = grouped(found, transactions)
                changes = found
            } else {
                transactions = try chosen(transactions, settings)
            }
        }
        return NSPersistentHistoryResult(value(transactions, changes), request.resultType)
    }

    private func value(
        _ transactions: [NSPersistentHistoryTransaction], _ changes: [NSPersistentHistoryChange]?
    ) -> Any {
        func all() -> [NSPersistentHistoryChange] { changes ?? transactions.flatMap { $0.changes ?? [] } }
        switch request.resultType {
        case .statusOnly: return NSNumber(value: true)
        case .count: return NSNumber(value: changes?.count ?? transactions.count)
        case .transactionsOnly:
            return transactions.map { transaction in
                var record = transaction.record
                record.changes = nil
                return NSPersistentHistoryTransaction(record)
            }
        case .changesOnly: return all()
        case .transactionsAndChanges: return transactions
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return all().map(\.changedObjectID).filter { seen.insert($0).inserted }
        }
    }

    /// Returns the transactions of changes, each with only those of its changes.
    private func grouped(
        _ changes: [NSPersistentHistoryChange], _ transactions: [NSPersistentHistoryTransaction]
    ) -> [NSPersistentHistoryTransaction] {
        var requested: [NSPersistentHistoryTransaction: Set<Int64>] = [:]
        for change in changes {
            guard let transaction = change.transaction else { continue }
            requested[transaction, default: []].insert(change.changeID)
        }
        return transactions.compactMap { transaction in
            guard let numbers = requested[transaction] else { return nil }
            var record = transaction.record
            record.changes?.removeAll { !numbers.contains($0.number) }
            return NSPersistentHistoryTransaction(record)
        }
    }

    /// Returns the items that meet the predicate, sorted, with offset and limit applied.
    private func chosen<Item: NSObject>(_ items: [Item], _ settings: FetchSettings) throws -> [Item] {
        var items = items
        if let predicate = settings.predicate {
            var session = PredicateEvaluator(predicate).session()
            items.removeAll { !session.matches($0) }
        }
        items.sort(by: settings.sortDescriptors ?? [])
        items.applyRange(of: settings)
        return items
    }
}
