internal import Foundation

/// Makes the result of a request out of what the stores have.
struct HistoryFetch {
    let request: NSPersistentHistoryChangeRequest

    private var settings: FetchSettings? { request.fetchRequest?.settings }

    /// Whether the request's fetch request is one for changes.
    private var asksForChanges: Bool { settings?.entity?.name == HistoryEntities.change?.name && settings != nil }

    /// Whether stores have to read changes.
    var needsChanges: Bool {
        switch request.resultType {
        case .statusOnly, .count, .transactionsOnly: asksForChanges
        case .objectIDs, .changesOnly, .transactionsAndChanges: true
        }
    }

    /// Returns the result of records in their order.
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
            var known: Set<NSManagedObjectID> = []
            return all().map(\.changedObjectID).filter { known.insert($0).inserted }
        }
    }

    /// Returns the transactions of some changes, each with those of them that are its own.
    private func grouped(
        _ changes: [NSPersistentHistoryChange], _ transactions: [NSPersistentHistoryTransaction]
    ) -> [NSPersistentHistoryTransaction] {
        var wanted: [NSPersistentHistoryTransaction: Set<Int64>] = [:]
        for change in changes {
            guard let transaction = change.transaction else { continue }
            wanted[transaction, default: []].insert(change.changeID)
        }
        return transactions.compactMap { transaction in
            guard let numbers = wanted[transaction] else { return nil }
            var record = transaction.record
            record.changes?.removeAll { !numbers.contains($0.number) }
            return NSPersistentHistoryTransaction(record)
        }
    }

    /// Returns what meets the predicate, in order, cut.
    private func chosen<Item: NSObject>(_ items: [Item], _ settings: FetchSettings) throws -> [Item] {
        var items = items
        if let predicate = settings.predicate {
            var session = PredicateEvaluator(predicate).session()
            items.removeAll { !session.matches($0) }
        }
        items.sort(by: settings.sortDescriptors ?? [])
        items.cut(settings)
        return items
    }
}
