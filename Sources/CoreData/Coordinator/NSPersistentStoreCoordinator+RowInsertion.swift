/// Writing stores without objects.
extension NSPersistentStoreCoordinator {
    /// Inserts rows into a store, without objects of a context and without notifications.
    ///
    /// - Throws: What the function throws; nothing is written then. A Cocoa error if the store is not a SQLite store, is read-only or
    ///   cannot be written.
    package final func insertRows(
        into store: NSPersistentStore, _ body: (RowInsertion) throws -> Void
    ) throws {
        try lock.withLock { try store.insert(body) }
    }
}
