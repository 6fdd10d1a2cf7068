internal import CSQLite3
internal import Foundation

/// The external files that no row refers to anymore, and that readers of an older state of the database may still need.
///
/// Their names are in a table, which the transaction that drops them writes: neither a kill nor an exit loses them, and
/// every store that has the file open, in any process, may remove them. Used under the coordinator's lock.
final class DroppedFiles {
    /// The table, which Apple's framework does not have and ignores. It is created when the first file is dropped.
    static let table = "MODELC_DROPPEDFILE"

    private let external: ExternalFolder
    /// The number of frames that the log had when a file was first known to be dropped, by name. A reader that has seen
    /// all of them does not need the file.
    private var frames: [String: Int] = [:]
    /// The files that were removed, or left to another store, and whose names are still in the table.
    private var settled: Set<String> = []

    /// Whether files wait for readers of an older state.
    var hasWaiting: Bool { !frames.isEmpty }

    init(_ external: ExternalFolder) {
        self.external = external
    }

    /// Adds files in the transaction whose rows no longer refer to them.
    func add(_ names: [String], _ connection: SQLiteConnection) throws {
        guard !names.isEmpty else { return }
        try connection.execute("CREATE TABLE IF NOT EXISTS \(Self.table) (NAME VARCHAR PRIMARY KEY) WITHOUT ROWID")
        let insertion = try connection.statement("INSERT OR IGNORE INTO \(Self.table)(NAME) VALUES(?)")
        for name in names {
            insertion.bind(name, at: 1)
            try insertion.run()
        }
        try removeSettledEntries(connection)
    }

    private func removeSettledEntries(_ connection: SQLiteConnection) throws {
        guard !settled.isEmpty else { return }
        let deletion = try connection.statement("DELETE FROM \(Self.table) WHERE NAME = ?")
        for name in settled {
            deletion.bind(name, at: 1)
            try deletion.run()
        }
    }

    /// Removes the files that no reader needs: after each save that drops some, and when the store is opened or closed.
    ///
    /// A file stays while a transaction, in any process, reads a state from before it was dropped, and until the commit
    /// that dropped it is on the disk. A file that a store beside this one refers to, such as the original of a copy,
    /// is left to that store; all stay while such a store cannot be read.
    func removeUnused(_ connection: SQLiteConnection) throws {
        guard !connection.isReadOnly else { return }
        let recorded = try Self.names(connection)
        settled.formIntersection(recorded)
        let waiting = recorded.subtracting(settled)
        frames = frames.filter { waiting.contains($0.key) }
        guard !waiting.isEmpty else { return }
        let log = try connection.checkpoint()
        for name in waiting where frames[name] == nil { frames[name] = log?.frames ?? 0 }
        // A log that has become shorter was begun anew, which no older reader allows.
        let unused = waiting.filter { name in
            guard let log else { return true }
            guard let frame = frames[name] else { return false }
            return frame <= log.copied || frame > log.frames
        }
        guard !unused.isEmpty, hasCommits(connection), let unshared = external.unshared(unused) else { return }
        for name in unshared.sorted() {
            ExternalFile.remove(external.folder.appendingPathComponent(name), external.disk)
        }
        for name in unused { frames[name] = nil }
        settled.formUnion(unused)
    }

    /// Removes the unused files of a store that was just opened or migrated, and their names. The table goes with the
    /// last one.
    func removeLeftovers(_ connection: SQLiteConnection) throws {
        try removeUnused(connection)
        guard !connection.isReadOnly, try connection.hasTable(Self.table) else { return }
        try connection.transaction {
            try removeSettledEntries(connection)
            guard try connection.integer("SELECT count(*) FROM \(Self.table)") == 0 else { return }
            connection.forgetStatements()
            try connection.execute("DROP TABLE \(Self.table)")
        }
        settled = []
    }

    /// Returns the names of the files that a store has yet to remove.
    static func names(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        guard try connection.hasTable(table) else { return [] }
        let statement = try connection.statement("SELECT NAME FROM \(table)")
        defer { statement.reset() }
        var names: Set<String> = []
        while try statement.step() {
            // A name that is not a UUID could escape the folder.
            if let name = UUID(uuidString: statement.text(0))?.uuidString { names.insert(name) }
        }
        return names
    }

    /// Whether all commits are on the disk. With `synchronous=NORMAL`, SQLite leaves that to the system, as it does
    /// with the removal of the journal that ends a commit without a log, unless the setting is `EXTRA`: after a power
    /// failure, rows may be as they were before the last commits, and refer to the files of that time.
    private func hasCommits(_ connection: SQLiteConnection) -> Bool {
        let log = SQLiteFile(URL(fileURLWithPath: connection.path)).log
        let isLogged = FileManager.default.fileExists(atPath: log.path)
        return (try? external.disk.synchronize(isLogged ? log : log.deletingLastPathComponent())) != nil
    }
}
