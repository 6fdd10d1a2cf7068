package import Foundation

extension NSPersistentStoreCoordinator {
    /// Returns the names of the processes that lock a SQLite store, for messages; `nil` if they are not known.
    package static func lockHolders(of url: URL) -> String? { LockHolders(of: url.path).summary }
}
