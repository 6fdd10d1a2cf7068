internal import Foundation
internal import RuntimeSupport

/// The options of `addPersistentStore` for opening a SQLite store.
package struct SQLiteOptions {
    /// The time to wait for other connections, in seconds.
    var timeout: Double
    /// Pragmas by name in lower case, sorted.
    var pragmas: [(name: String, value: String)]
    var analyzes: Bool
    var vacuums: Bool
    /// Whether the store keeps a history of its changes.
    var tracksHistory: Bool
    /// Whether notifications are posted for changes.
    var postsRemoteChanges: Bool

    /// SQLite's file system layer; `nil` for the default. Only tests set it.
    var vfs: String?

    /// The operations on files next to the database. Only tests set it.
    var disk: StoreDisk

    /// The values that replace random ones in a reproducible store.
    var reproduction: StoreReproduction?

    /// Whether a read-only store whose log is empty is opened without creating a log. Changes by other connections
    /// during a request are then not detected.
    var leavesNoTrace: Bool

    /// Whether the write-ahead log and its index are removed when the last connection is closed.
    var removesLog: Bool

    /// The option for `leavesNoTrace`.
    package static let noTraceOption = "ModelcLeavesNoTrace"

    /// The time, in seconds, that a store waits for other connections unless `NSPersistentStoreTimeoutOption` is set.
    static let defaultTimeout = 5.0
    /// The options for `vfs` and `disk`.
    static let (vfsOption, diskOption) = ("CoreDataVFS", "CoreDataDisk")

    init(_ options: [AnyHashable: Any]) {
        func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false }
        timeout = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? Self.defaultTimeout
        vfs = options[Self.vfsOption] as? String
        disk = options[Self.diskOption] as? StoreDisk ?? .standard
        reproduction = options[StoreReproduction.option] as? StoreReproduction
        leavesNoTrace = flag(Self.noTraceOption)
        removesLog = flag(NSSQLiteRemovesLogOption) || leavesNoTrace
        analyzes = flag(NSSQLiteAnalyzeOption)
        vacuums = flag(NSSQLiteManualVacuumOption)
        // A dictionary of settings counts as true.
        tracksHistory = flag(NSPersistentHistoryTrackingKey) || options[NSPersistentHistoryTrackingKey] is NSDictionary
        postsRemoteChanges = flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        let given = options[NSSQLitePragmasOption]
        let pragmas = (given as? [AnyHashable: Any]) ?? (given as? NSDictionary) as? [AnyHashable: Any] ?? [:]
        self.pragmas = pragmas.compactMap { name, value in
            (name.base as? String).map { ($0.lowercased(), "\(value)") }
        }.sorted { $0.name < $1.name }
    }

    /// Configures a connection: its pragmas, and a write-ahead log unless the program sets another journal mode.
    ///
    /// With a write-ahead log, a save does not wait for the disk: saved data survive any crash of the program, but
    /// after a power failure the most recent saves may be lost. The pragma `synchronous` with `FULL` waits for the
    /// disk.
    func configure(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute("PRAGMA recursive_triggers = 1")
        guard !connection.isReadOnly else { return }
        // In a file with tables, the pragma would write: opening a store would then wait for its lock, and fail on a
        // full disk.
        if try connection.text("PRAGMA page_count") == "0" {
            // The journal mode writes the first page, and with it the size of all.
            if let size = value(of: "page_size"), Self.isSafe(size) {
                try connection.execute("PRAGMA page_size = \(size)")
            }
            try connection.execute("PRAGMA auto_vacuum = 2")
        }
        if value(of: "journal_mode") == nil {
            try connection.execute("PRAGMA journal_mode = WAL")
        }
        if value(of: "synchronous") == nil, try connection.text("PRAGMA journal_mode")?.lowercased() == "wal" {
            try connection.execute("PRAGMA synchronous = NORMAL")
        }
        for (name, value) in pragmas {
            guard Self.isSafe(name), Self.isSafe(value) else {
                Log.error("invalid pragma ignored: “\(name) = \(value)”")
                continue
            }
            try connection.execute("PRAGMA \(name) = \(value)")
        }
        connection.keepsLog = !removesLog
        connection.forgetStatements()
    }

    private func value(of pragma: String) -> String? { pragmas.first { $0.name == pragma }?.value }

    /// Returns whether a pragma's text is safe: pragmas take no bound values, and anything but a word or number could
    /// inject a statement.
    private static func isSafe(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Performs the maintenance that was requested for when the file is opened.
    func maintain(_ connection: SQLiteConnection) throws(SQLiteError) {
        guard !connection.isReadOnly else { return }
        if vacuums { try connection.execute("VACUUM") }
        if analyzes { try connection.execute("ANALYZE") }
    }
}
