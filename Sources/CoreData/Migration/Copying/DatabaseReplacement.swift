internal import CSQLite3
internal import Foundation

/// Gives a database the content of another in one transaction. Other processes that have it open see the new content, where they would
/// go on with the old file if it were replaced.
struct DatabaseReplacement {
    private let url: URL
    private let source: URL
    private let settings: SQLiteOptions

    /// How often a database is tried that others use, in microseconds.
    private static let pause: UInt32 = 20_000

    init(of url: URL, with source: URL, _ settings: SQLiteOptions) {
        self.url = url
        self.source = source
        self.settings = settings
    }

    /// Replaces the content, and the external files.
    ///
    /// - Throws: an error of the code 134160. The database is then as it was.
    func run() throws {
        let before = files(in: folder(of: url))
        let added = files(in: folder(of: source))
        do {
            try moveFiles(added)
            try copyPages()
        } catch {
            for name in added.subtracting(before) {
                try? FileManager.default.removeItem(at: folder(of: url).appendingPathComponent(name))
            }
            throw MigrationErrors.error(
                .migrationManagerDestinationStore,
                reason: "\(url.path): \((error as? SQLiteError)?.message ?? "\(error)")",
                [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
        // No row names them any more.
        for name in before.subtracting(added) {
            try? FileManager.default.removeItem(at: folder(of: url).appendingPathComponent(name))
        }
    }

    // MARK: External files

    private func folder(of store: URL) -> URL {
        ExternalStorage.supportFolder(of: store).appendingPathComponent("_EXTERNAL_DATA")
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

    private func copyPages() throws {
        let from = try SQLiteConnection(path: source.path, timeout: settings.timeout, vfs: settings.vfs)
        defer { from.close() }
        let target = try SQLiteConnection(path: url.path, timeout: settings.timeout, vfs: settings.vfs)
        defer { target.close() }
        try target.execute("PRAGMA synchronous = FULL")
        let mode = try target.text("PRAGMA journal_mode")
        let isOtherSize = try from.integer("PRAGMA page_size") != target.integer("PRAGMA page_size")
        // The pages of a database with a write-ahead log keep their size.
        if isOtherSize, mode == "wal" { _ = try target.text("PRAGMA journal_mode = DELETE") }
        guard let backup = sqlite3_backup_init(target.handle, "main", from.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        let deadline = Date(timeIntervalSinceNow: settings.timeout)
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, -1)
            guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF), Date() < deadline else { break }
            usleep(Self.pause)
        } while true
        let ended = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, ended == SQLITE_OK else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        if isOtherSize, mode == "wal" { _ = try target.text("PRAGMA journal_mode = WAL") }
    }
}
