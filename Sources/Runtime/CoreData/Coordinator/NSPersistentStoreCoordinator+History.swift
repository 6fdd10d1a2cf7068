internal import Foundation

/// The histories of the stores.
extension NSPersistentStoreCoordinator {
    /// Returns the current end of the history of stores, or `nil` if none of them keeps a history.
    ///
    /// - Parameters:
    ///   - stores: The stores; `nil` or an empty array for all.
    ///   - isAfterSave: Whether the position after the coordinator's own last save suffices, which a remote store knows
    ///     without a query.
    final func historyToken(of stores: [NSPersistentStore]?, isAfterSave: Bool = false) -> NSPersistentHistoryToken? {
        lock.withLock {
            var numbers: [String: Int64] = [:]
            // Apple's header: no stores are all stores.
            for store in historyStores(stores?.isEmpty == true ? nil : stores) {
                let own = isAfterSave ? store.engine.lastOwnTransaction : nil
                guard let number = try? own ?? store.engine.lastTransaction() else { continue }
                numbers[store.identifier] = number
            }
            return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
        }
    }

    private func historyStores(_ requested: [NSPersistentStore]?) -> [NSPersistentStore] {
        persistentStores.filter { store in
            (requested?.contains { $0 === store } ?? true) && store.engine.keepsHistory
        }
    }

    /// Executes a history request in all stores that keep a history.
    ///
    /// - Throws: An error with the code 134091 if no store does; 134301 if the history after the request's token is no
    ///   longer complete; or a store's error.
    final func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        try lock.withLock {
            let stores = historyStores(request.affectedStores)
            guard !stores.isEmpty else {
                throw CoreDataError.error(
                    .persistentStoreUnsupportedRequestType,
                    text: "no store keeps a history: it has to be added with \(NSPersistentHistoryTrackingKey)",
                    userInfo: [NSAffectedStoresErrorKey: request.affectedStores ?? persistentStores])
            }
            switch request.action {
            case .fetch: return try fetchHistory(request, stores)
            case .delete: return try deleteHistory(request, stores)
            }
        }
    }

    private func fetchHistory(
        _ request: NSPersistentHistoryChangeRequest, _ stores: [NSPersistentStore]
    ) throws -> NSPersistentHistoryResult {
        let fetch = HistoryFetch(request: request)
        var records: [HistoryRecord] = []
        for store in stores {
            records += try store.engine.history(
                after: position(request.position, store) ?? .beginning, includesChanges: fetch.needsChanges)
        }
        if stores.count > 1 {
            let order = records.indices.sorted { (records[$0].timestamp, $0) < (records[$1].timestamp, $1) }
            records = order.map { records[$0] }
        }
        return try fetch.result(records)
    }

    private func deleteHistory(
        _ request: NSPersistentHistoryChangeRequest, _ stores: [NSPersistentStore]
    ) throws -> NSPersistentHistoryResult {
        if let store = stores.first(where: \.isReadOnly) {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the store is read-only", userInfo: [NSAffectedStoresErrorKey: [store]])
        }
        var count = 0
        for store in stores {
            guard let position = position(request.position, store) else { continue }
            count += try store.engine.deleteHistory(before: position)
        }
        switch request.resultType {
        case .count: return NSPersistentHistoryResult(NSNumber(value: count), .count)
        case .statusOnly: return NSPersistentHistoryResult(NSNumber(value: true), .statusOnly)
        case let type: return NSPersistentHistoryResult([Any](), type)
        }
    }

    /// Returns the position in a store's history, or `nil` if the request has none.
    private func position(_ position: NSPersistentHistoryChangeRequest.Position, _ store: NSPersistentStore)
        -> HistoryPosition?
    {
        switch position {
        case .none: nil
        case .date(let date): .date(date)
        case .token(let token): token.numbers[store.identifier].map { .transaction($0) }
        }
    }
}
