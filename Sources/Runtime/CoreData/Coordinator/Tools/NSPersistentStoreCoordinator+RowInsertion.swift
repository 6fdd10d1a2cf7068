/// Writing to stores without managed objects.
extension NSPersistentStoreCoordinator {
    /// Inserts rows into a store, without objects of a context and without notifications.
    ///
    /// - Throws: What the function throws, in which case nothing is written; a Cocoa error if the store is not a SQLite
    ///   store, is read-only or cannot be written.
    package final func insertRows(
        into store: NSPersistentStore, _ body: (RowInsertion) throws -> Void
    ) throws {
        try lock.withLock {
            guard let engine = store.engine as? SQLiteStore else {
                throw CoreDataError.error(.persistentStoreSave, text: "only SQLite stores can be written by rows")
            }
            try engine.insert(body)
        }
    }
}
