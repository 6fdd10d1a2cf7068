internal import CoreData

/// The statements that keep other programs from migrating a store at the same time.
package enum PostgreSQLMigrationLock {
    /// Returns the statement that limits the time in seconds to wait for other programs.
    package static func timeout(_ timeout: Double) -> String {
        "SET LOCAL lock_timeout = '\(max(1, Int(min(timeout, 1_000_000) * 1000)))ms'"
    }

    /// Returns the statements that begin the transaction of a migration: one program at a time migrates a store, after
    /// the transactions that write to it have ended.
    package static func beginning(namespace: String, timeout: Double) -> [String] {
        let lock = PostgreSQLName.literal("modelc:\(namespace)")
        return [
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            self.timeout(timeout),
            "SELECT pg_advisory_xact_lock(hashtext(\(lock)))",
            table(namespace: namespace),
        ]
    }

    /// Returns the statement of `beginning(namespace:timeout:)` that names the schema of the store.
    package static func table(namespace: String) -> String {
        "LOCK TABLE \(PostgreSQLName.quoted(namespace)).\"_metadata\" IN ACCESS EXCLUSIVE MODE"
    }
}
