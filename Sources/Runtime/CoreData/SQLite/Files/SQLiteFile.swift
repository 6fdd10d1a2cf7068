internal import CSQLite3
internal import Foundation
internal import StoreFile

/// The file of a SQLite store, and its companion files.
struct SQLiteFile {
    let url: URL
    /// The name of the in-memory database that a URL at `/dev/null` stands for; `nil` for a file.
    let memoryName: String?

    /// Creates a reference to the database of a URL. `/dev/null` is a separate in-memory database for each
    /// `SQLiteFile`; `/dev/null/NAME` is one that all stores with this name in the process share while one of them is
    /// open.
    init(_ url: URL) {
        self.url = url
        let path = url.path
        memoryName =
            path.hasPrefix("/dev/null/")
            ? String(path.dropFirst("/dev/null".count)) : path == "/dev/null" ? "/" + UUID().uuidString : nil
    }

    /// Whether the database is in memory, and so has no files.
    var isInMemory: Bool { memoryName != nil }

    /// A value that is equal for all stores of the same database.
    var identity: String { memoryName.map { "memory:" + $0 } ?? url.resolvingSymlinksInPath().path }

    /// The write-ahead log, its index, and the journal of the other modes.
    var companions: [URL] { [log, companion("-shm"), companion("-journal")] }

    /// The write-ahead log.
    var log: URL { companion("-wal") }

    private func companion(_ suffix: String) -> URL {
        let file = resolved
        return file.deletingLastPathComponent().appendingPathComponent(file.lastPathComponent + suffix)
    }

    /// The target file if the URL is a symbolic link, resolved as SQLite does.
    var resolved: URL { url.resolvingSymlinksInPath() }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Returns a connection that changes neither the file nor its folder in any way. Returns `nil` if there is no file,
    /// or an empty one, which is a new database to SQLite.
    func inspect(_ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection? {
        if isInMemory { return try connect(settings) }
        guard let size = FileStatus.size(url.path), size > 0 || !FileStatus.isRegularFile(url.path) else { return nil }
        return try SQLiteConnection(inspecting: url.path, settings)
    }

    /// Returns a connection configured for a store. It may change the file's journal mode, so check first with
    /// `inspect(_:)` whether the file is a store.
    func open(isReadOnly: Bool, _ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection {
        guard isReadOnly, !isInMemory else {
            let connection = try connect(settings)
            // SQLite opens a file without write permission as read-only.
            if sqlite3_db_readonly(connection.handle, "main") == 1 {
                return try openForReading(settings)
            }
            try settings.configure(connection)
            return connection
        }
        return try openForReading(settings)
    }

    /// Returns an unconfigured connection. Creates a missing database.
    private func connect(_ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection {
        guard let memoryName else {
            return try SQLiteConnection(path: url.path, timeout: settings.timeout, vfs: settings.vfs)
        }
        return try SQLiteConnection(memoryName: memoryName, at: url.path, timeout: settings.timeout)
    }

    private func openForReading(_ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection {
        if settings.leavesNoTrace, isWhole, DatabaseInspection.isInLogMode(path: url.path) == true {
            return try openImmutable(settings)
        }
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(
                path: url.path, isReadOnly: true, timeout: settings.timeout, vfs: settings.vfs)
            try settings.configure(connection)
            _ = try connection.integer("SELECT count(*) FROM sqlite_master")
            return connection
        } catch {
            guard [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR].contains(error.primaryCode), exists,
                isWhole
            else { throw error }
            // The log cannot be created next to the file, so there is none to read.
            return try openImmutable(settings)
        }
    }

    /// Returns a connection for a file without concurrent writers. The store opens it again if there are some.
    private func openImmutable(_ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: url.path, isReadOnly: true, isImmutable: true, timeout: settings.timeout, vfs: settings.vfs)
        try settings.configure(connection)
        return connection
    }

    /// Whether the file has all commits: the log and the journal are empty or missing. The log's index only repeats the
    /// log.
    private var isWhole: Bool { [log, companion("-journal")].allSatisfy { Self.isEmpty($0) } }

    private static func isEmpty(_ url: URL) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        return ((attributes?[.size] as? NSNumber)?.intValue ?? 0) == 0
    }

    // MARK: Metadata of a store that is not open

    func metadata(_ options: [AnyHashable: Any] = [:]) throws -> [String: Any] {
        guard exists || isInMemory else {
            throw CoreDataError.error(
                .fileReadNoSuchFile, text: "there is no store at \(url.path)",
                userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path])
        }
        return try reporting("the metadata of the store at \(url.path) cannot be read") {
            guard let connection = try inspect(SQLiteOptions(options)),
                let metadata = try SQLiteMetadata(connection)
            else {
                throw CoreDataError.error(
                    .persistentStoreOpen, text: "the file at \(url.path) is not a Core Data store",
                    userInfo: [NSURLErrorKey: url])
            }
            return metadata.all
        }
    }

    func setMetadata(_ metadata: [String: Any], _ options: [AnyHashable: Any] = [:]) throws {
        let old = try self.metadata(options)
        try reporting("the metadata of the store at \(url.path) cannot be written") {
            let settings = SQLiteOptions(options)
            let connection = try connect(settings)
            let uuid = old[NSStoreUUIDKey] as? String ?? UUID().uuidString
            let metadata = StoreMetadata.metadata(metadata, keepingVersionOf: old)
            try connection.transaction { try SQLiteMetadata(metadata, uuid: uuid).write(to: connection) }
        }
    }

    func reporting<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isDamage ? .fileReadCorruptFile : .persistentStoreOpen, what, at: url)
        }
    }

    // MARK: Removing and replacing

    /// Throws an error for a file that is neither a store nor a damaged one.
    func checkIsReplaceable() throws {
        guard FileStatus.size(url.path) != nil else { return }
        guard FileStatus.isRegularFile(url.path) else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "\(url.path) is not a file",
                userInfo: [NSURLErrorKey: url])
        }
        try reporting("the store at \(url.path) cannot be replaced or removed") {
            do {
                guard let connection = try inspect(SQLiteOptions([:])), try !connection.hasTable("Z_METADATA"),
                    try connection.integer("SELECT count(*) FROM sqlite_master") != 0
                else { return }
                throw CoreDataError.error(
                    .persistentStoreOperation, text: "the database at \(url.path) was not created by Core Data",
                    userInfo: [NSURLErrorKey: url])
            } catch let error as SQLiteError where !error.isTimeout {
                // A damaged store is removed.
            }
        }
    }

    /// Returns a connection that prevents other connections from saving until it is closed: they would remove external
    /// files that rows of the copy refer to. Returns `nil` if no process can save.
    func keepingWritersAway(_ settings: SQLiteOptions) throws(SQLiteError) -> SQLiteConnection? {
        let connection = try SQLiteConnection(path: url.path, vfs: settings.vfs)
        guard sqlite3_db_readonly(connection.handle, "main") == 0 else { return nil }
        try connection.execute("BEGIN IMMEDIATE")
        return connection
    }
}
