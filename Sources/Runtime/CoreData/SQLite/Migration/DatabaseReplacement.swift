internal import CSQLite3
internal import Foundation

/// Replaces the content of a database with that of another in one transaction. Other processes that have it open see
/// the new content, whereas they would continue to use the old file if it were replaced.
struct DatabaseReplacement {
    private let url: URL
    private let source: URL
    private let settings: SQLiteOptions

    /// The pause between attempts at locking a database that other connections use, in microseconds.
    private static let pause: UInt32 = 20_000

    init(of url: URL, with source: URL, _ settings: SQLiteOptions) {
        self.url = url
        self.source = source
        self.settings = settings
    }

    /// Replaces the content and the external files.
    ///
    /// - Parameter writers: The lock of the database, which is released.
    /// - Returns: Whether the content was replaced; `false` if another connection has written to the database after the
    ///   lock was released, in which case it is left unchanged.
    /// - Throws: An error with the code 134160. The database is then unchanged.
    func run(_ writers: WriterLock) throws -> Bool {
        let before = files(in: folder(of: url))
        let added = files(in: folder(of: source))
        let old = (try? ExternalFolder.names(writers.connection)) ?? []
        func removeAdded() {
            for name in added.subtracting(before) {
                try? FileManager.default.removeItem(at: folder(of: url).appendingPathComponent(name))
            }
        }
        do {
            try continueHistory(of: writers.connection)
            try moveFiles(added)
            guard try copyPages(writers) else {
                removeAdded()
                return false
            }
        } catch {
            removeAdded()
            throw MigrationErrors.error(
                .migrationManagerDestinationStore,
                reason: "\(url.path): \((error as? SQLiteError)?.message ?? "\(error)")",
                [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
        // No row refers to them anymore.
        ExternalFolder(SQLiteFile(url), settings).remove(old.subtracting(added))
        return true
    }

    // MARK: History

    /// Continues the numbers of the old history in the new store, whose history is empty. The tokens of the old one,
    /// whose object IDs are no longer valid, are then recognized as expired.
    private func continueHistory(of old: SQLiteConnection) throws {
        guard settings.tracksHistory, try old.hasTable("ATRANSACTION") else { return }
        let new = try SQLiteConnection(path: source.path, timeout: settings.timeout, vfs: settings.vfs)
        defer { new.close() }
        guard try !new.hasTable("ATRANSACTION") else { return }
        try new.transaction {
            for statement in HistoryTables.statements { try new.execute(statement) }
            for (entity, table) in HistoryTables.numbers where try old.hasTable(table) {
                let last = try old.lastKey(entity: entity, table: table)
                guard last < HistoryRows.largest else { continue }
                // The token of the last transaction lacks one more.
                let next = entity == HistoryTables.transactionEntity ? last + 1 : last
                try new.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(next) WHERE Z_ENT = \(entity)")
            }
        }
    }

    // MARK: External files

    private func folder(of store: URL) -> URL {
        ExternalStorage.folder(of: store)
    }

    private func files(in folder: URL) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    private func moveFiles(_ names: Set<String>) throws {
        guard !names.isEmpty else { return }
        let target = folder(of: url)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for name in names.sorted() {
            try FileManager.default.moveItem(
                at: folder(of: source).appendingPathComponent(name), to: target.appendingPathComponent(name))
        }
        try settings.disk.synchronize(target)
    }

    // MARK: The database

    private func copyPages(_ writers: WriterLock) throws -> Bool {
        let from = try SQLiteConnection(path: source.path, timeout: settings.timeout, vfs: settings.vfs)
        defer { from.close() }
        let target = writers.connection
        writers.release()
        try target.execute("PRAGMA synchronous = FULL")
        let mode = try target.text("PRAGMA journal_mode")
        let isOtherSize = try from.integer("PRAGMA page_size") != target.integer("PRAGMA page_size")
        // The page size of a database with a write-ahead log cannot be changed.
        if isOtherSize, mode == "wal" { _ = try target.text("PRAGMA journal_mode = DELETE") }
        // A backup cannot use a transaction's lock: whether another connection was faster is known once the backup
        // holds its own.
        if isOtherSize { writers.recordVersion() }
        guard let backup = sqlite3_backup_init(target.handle, "main", from.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        var code = step(backup, pages: 0)
        let isStale = code == SQLITE_OK && writers.hasOtherWriters
        if code == SQLITE_OK, !isStale { code = step(backup, pages: -1) }
        let ended = sqlite3_backup_finish(backup)
        if isStale { return false }
        guard code == SQLITE_DONE, ended == SQLITE_OK else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        // The content is replaced even if something else fails: the next connection to the store sets the mode again.
        if isOtherSize, mode == "wal" { _ = try? target.text("PRAGMA journal_mode = WAL") }
        // Closing the connection with the lock does not checkpoint the log.
        _ = try? target.text("PRAGMA wal_checkpoint(TRUNCATE)")
        return true
    }

    /// Copies pages, or only locks the target for 0 pages, waiting for other connections that use it.
    private func step(_ backup: OpaquePointer, pages: Int32) -> Int32 {
        let deadline = Date(timeIntervalSinceNow: settings.timeout)
        while true {
            let code = sqlite3_backup_step(backup, pages)
            guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF), Date() < deadline else { return code }
            usleep(Self.pause)
        }
    }
}
