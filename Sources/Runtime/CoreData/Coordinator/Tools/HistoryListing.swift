/// Transactions of a SQLite store's history, for tools that display them page by page.
package struct HistoryListing {
    /// The transactions, the newest first, each with its first changes.
    package var transactions: [(transaction: NSPersistentHistoryTransaction, changeCount: Int)]
}

extension NSPersistentStoreCoordinator {
    /// Returns the newest transactions of the history before a number.
    ///
    /// - Parameters:
    ///   - number: The number of the transaction after those; `nil` for the end of the history.
    ///   - limit: The maximum number of transactions.
    ///   - changeLimit: The maximum number of changes that a transaction is returned with.
    /// - Returns: The transactions, or `nil` if the first store is not a SQLite store that keeps a history.
    /// - Throws: An error of the store if the history cannot be read.
    package func historyListing(before number: Int64?, limit: Int, changeLimit: Int) throws -> HistoryListing? {
        try lock.withLock {
            guard let store = persistentStores.first?.engine as? SQLiteStore, store.keepsHistory else { return nil }
            let found = try store.newestTransactions(before: number, limit: limit, changeLimit: changeLimit)
            return HistoryListing(
                transactions: found.map { (NSPersistentHistoryTransaction($0.record), $0.changeCount) })
        }
    }
}
