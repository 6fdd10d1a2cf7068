internal import Foundation

/// Requests for history.
extension NSPersistentStoreCoordinator {
    /// Carries a request for history out, in all stores that keep one or those that it names.
    ///
    /// - Throws: an `NSError` of Cocoa's domain: 134091 when no store keeps a history, 134301 when a token is older than what
    ///   is left of it.
    final func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        let wanted = request.affectedStores ?? persistentStores
        let stores = persistentStores.compactMap { store in
            wanted.contains { $0 === store } ? store as? SQLiteStore : nil
        }.filter { $0.history != nil }
        guard !stores.isEmpty else {
            throw CoreDataError.error(
                .persistentStoreUnsupportedRequestType,
                "none of the stores keeps a history: they were added without NSPersistentHistoryTrackingKey")
        }
        return try lock.withLock {
            if request.action == .delete {
                var count = 0
                for store in stores { count += try store.deleteHistory(request.limit) }
                return HistoryResults.deletion(count, request.resultType)
            }
            let transactions = try stores.flatMap { try $0.transactions(after: request.limit, request.resultType) }
            return try HistoryResults.result(transactions, request)
        }
    }
}

/// Makes the results of requests for history.
enum HistoryResults {
    static func deletion(_ count: Int, _ type: NSPersistentHistoryResultType) -> NSPersistentHistoryResult {
        NSPersistentHistoryResult(
            type == .count ? NSNumber(value: count) as Any : NSNumber(value: true), type)
    }

    static func result(
        _ transactions: [NSPersistentHistoryTransaction], _ request: NSPersistentHistoryChangeRequest
    ) throws -> NSPersistentHistoryResult {
        var transactions = transactions
        if let settings = request.fetchRequest?.settings {
            if settings.entity === HistoryEntities.change {
                for transaction in transactions {
                    let changes = transaction.changes ?? []
                    transaction.changes = chosen(changes, settings, unlimited: true)
                }
                transactions.removeAll { $0.changes?.isEmpty ?? true }
            } else {
                transactions = chosen(transactions, settings, unlimited: false)
            }
        }
        let type = request.resultType
        return NSPersistentHistoryResult(value(transactions, type, request.fetchRequest?.settings), type)
    }

    private static func value(
        _ transactions: [NSPersistentHistoryTransaction], _ type: NSPersistentHistoryResultType,
        _ settings: FetchSettings?
    ) -> Any? {
        switch type {
        case .statusOnly: return NSNumber(value: true)
        case .count: return NSNumber(value: transactions.count)
        case .transactionsOnly, .transactionsAndChanges: return transactions
        case .objectIDs: return transactions.flatMap { ($0.changes ?? []).map(\.changedObjectID) }
        case .changesOnly:
            let changes = transactions.flatMap { $0.changes ?? [] }
            guard let settings, settings.entity === HistoryEntities.change else { return changes }
            return chosen(changes, settings, unlimited: false)
        }
    }

    /// What a fetch request leaves of transactions or changes.
    private static func chosen<Element: NSObject & KeyValueReadable>(
        _ elements: [Element], _ settings: FetchSettings, unlimited: Bool
    ) -> [Element] {
        var result = elements
        if let predicate = settings.predicate { result = result.filter { predicate.evaluate(with: $0) } }
        if let descriptors = settings.sortDescriptors, !descriptors.isEmpty {
            let order = result.indices.sorted { one, other in
                for descriptor in descriptors {
                    let comparison = descriptor.compare(result[one], to: result[other])
                    if comparison != .orderedSame { return comparison == .orderedAscending }
                }
                return one < other
            }
            result = order.map { result[$0] }
        }
        guard !unlimited else { return result }
        if settings.fetchOffset > 0 { result = Array(result.dropFirst(settings.fetchOffset)) }
        if settings.fetchLimit > 0 { result = Array(result.prefix(settings.fetchLimit)) }
        return result
    }
}
