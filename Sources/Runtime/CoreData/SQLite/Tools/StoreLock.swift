/// The locks of a SQLite store's file, for tools that explain why it cannot be read.
package enum StoreLock {
    /// Returns the names of the processes that lock a store, for messages; `nil` if they are not known.
    ///
    /// - Parameter path: The path of the store's file.
    package static func holders(ofStoreAt path: String) -> String? { LockHolders(of: path).summary }
}
