internal import CSQLite3
internal import Foundation

/// Prevents other connections from writing to a store that is being copied, and reports whether one has written to it
/// between the copy and its replacement.
final class WriterLock {
    /// The connection that holds the lock, which the replacement also uses.
    let connection: SQLiteConnection
    private var isLocked = false
    private var version: UInt32 = 0

    /// Acquires the lock.
    ///
    /// - Throws: An error with the code 134090 if another connection holds it, or 134160 if the file cannot be written.
    init(_ url: URL, _ settings: SQLiteOptions) throws {
        do throws(SQLiteError) {
            let log = SQLiteFile(url).log.path
            let hasLog =
                ((try? FileManager.default.attributesOfItem(atPath: log)[.size]) as? NSNumber)?.intValue ?? 0 > 0
            connection = try SQLiteConnection(path: url.path, timeout: settings.timeout, vfs: settings.vfs)
            // The old store is left unchanged, including its log.
            if hasLog { _ = modelc_sqlite3_disable_checkpoint_on_close(connection.handle) }
            guard !connection.isReadOnly, sqlite3_db_readonly(connection.handle, "main") == 0 else { return }
            try connection.execute("BEGIN IMMEDIATE")
            isLocked = true
        } catch {
            throw error.cocoaError(
                error.isTimeout ? .persistentStoreTimeout : .migrationManagerDestinationStore,
                "the store at \(url.path) cannot be locked for its migration", at: url)
        }
    }

    /// Releases the lock, so that other connections can write.
    func release() {
        guard isLocked else { return }
        isLocked = false
        recordVersion()
        try? connection.execute("ROLLBACK")
    }

    /// Records the current content as the copied one.
    func recordVersion() { version = dataVersion }

    /// Whether another connection has written since the lock was released. Only up to date once the connection has
    /// begun another transaction.
    var hasOtherWriters: Bool { dataVersion != version }

    /// SQLite's count of changes by other connections that this one has seen. Reading it takes no lock.
    private var dataVersion: UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    func close() {
        release()
        connection.close()
    }
}
