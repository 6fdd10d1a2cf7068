extension NSPersistentStoreCoordinator {
    /// Returns the names of the processes that lock a SQLite store, for messages; `nil` if they are not known.
    ///
    /// - Parameter path: the path of the store's file.
    package static func lockHolders(ofStoreAt path: String) -> String? { LockHolders(of: path).summary }
}
