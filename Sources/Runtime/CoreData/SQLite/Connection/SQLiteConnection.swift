internal import CSQLite3
internal import Foundation
internal import StoreFile

/// A connection to a SQLite database.
///
/// Used by one thread at a time: stores use their connections under the coordinator's lock.
final class SQLiteConnection {
    /// The SQLite handle, for registering functions and collations.
    let handle: OpaquePointer
    /// The pager's version with which the store last checked that the file is its own.
    var checkedVersion: UInt32?
    let path: String
    let isReadOnly: Bool
    /// The inspection that keeps the connection open, if it only inspects the file.
    private let inspection: DatabaseInspection?
    /// Whether the handle is closed with the connection.
    private let ownsHandle: Bool
    /// The state of the file before it was opened as immutable; `nil` for other connections.
    private let version: StoreFileLocation.Version?
    private var statements: [String: SQLiteStatement] = [:]
    private var trace: SQLTrace?
    private var log: (path: String, identity: FileStatus.Identity)?

    /// The maximum number of cached statements; fetches with literals in their text could create any number.
    private static let statementLimit = 200

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file; created if it is missing and `isReadOnly` is `false`.
    ///   - isReadOnly: Whether the connection never writes.
    ///   - isImmutable: Whether no process writes the file: nothing is locked, and no log is read.
    ///   - timeout: The time to wait for other connections, in seconds.
    ///   - vfs: SQLite's file system layer; `nil` for the default.
    init(
        path: String, isReadOnly: Bool = false, isImmutable: Bool = false,
        timeout: Double = SQLiteOptions.defaultTimeout, vfs: String? = nil
    ) throws(SQLiteError) {
        self.path = path
        self.isReadOnly = isReadOnly
        inspection = nil
        ownsHandle = true
        version = isImmutable ? StoreFileLocation.version(atPath: path) : nil
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        handle = try Self.open(
            "file:" + DatabaseURI.escaped(path) + (isImmutable ? "?immutable=1" : ""), access, vfs: vfs)
        setTimeout(timeout)
        if SQLDebug.level > 0 { trace = SQLTrace(self) }
    }

    /// Opens an in-memory database that connections of this process share by name, and that exists while there is one.
    init(memoryName: String, at path: String, timeout: Double) throws(SQLiteError) {
        self.path = path
        isReadOnly = false
        inspection = nil
        ownsHandle = true
        version = nil
        handle = try Self.open(
            "file:" + DatabaseURI.escaped(memoryName) + "?vfs=memdb", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        setTimeout(timeout)
        if SQLDebug.level > 0 { trace = SQLTrace(self) }
    }

    private static func open(
        _ name: String, _ access: Int32, vfs: String? = nil
    ) throws(SQLiteError) -> OpaquePointer {
        var opened: OpaquePointer?
        let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(name, &opened, flags, vfs)
        if code == SQLITE_OK, let opened { return opened }
        let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        sqlite3_close_v2(opened)
        throw SQLiteError(code: code, message: message)
    }

    /// Opens an existing file for inspection, without changing the file or its folder in any way.
    init(
        inspecting path: String, _ settings: SQLiteOptions, access: DatabaseInspection.Access = .locking
    ) throws(SQLiteError) {
        var options = DatabaseInspection.Options()
        options.access = access
        options.timeout = Self.milliseconds(settings.timeout)
        options.vfs = settings.vfs
        do throws(DatabaseInspection.Failure) {
            let inspection = try DatabaseInspection(path: path, options)
            self.inspection = inspection
            handle = inspection.handle
        } catch {
            throw SQLiteError(code: error.code, message: error.message)
        }
        self.path = path
        isReadOnly = true
        ownsHandle = false
        version = nil
    }

    /// Uses the handle of a tool, which closes it after the connection was released.
    init(borrowing handle: OpaquePointer) {
        self.handle = handle
        path = ""
        isReadOnly = false
        inspection = nil
        ownsHandle = false
        version = nil
    }

    /// Whether everything that was read belongs to one state: see `DatabaseInspection`.
    var isConsistent: Bool { inspection?.isConsistent ?? true }

    deinit {
        close()
    }

    /// Sets the time to wait for other connections, in seconds.
    func setTimeout(_ seconds: Double) {
        sqlite3_busy_timeout(handle, Self.milliseconds(seconds))
    }

    private static func milliseconds(_ seconds: Double) -> Int32 {
        seconds > 0 ? Int32(min(seconds, 1_000_000) * 1000) : 0
    }

    private var isClosed = false

    /// Whether the log and its index stay when the last connection is closed, which then empties the log, rather than
    /// being removed.
    var keepsLog = false {
        didSet {
            var flag: Int32 = keepsLog ? 1 : 0
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
        }
    }

    /// Closes the file. The last connection to be closed moves the log into the file.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        statements = [:]
        // A log without frames does no harm if the file beside it is replaced.
        if keepsLog { try? execute("PRAGMA journal_size_limit = 0") }
        if ownsHandle { sqlite3_close_v2(handle) }
    }

    // MARK: Statements

    /// Returns a statement from the cache, compiling it on first use. It is reset, and has no values bound.
    ///
    /// A statement that is in use, because a fetch needs a second one like it, is compiled again.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let cached = statements[sql], !cached.isBusy { return cached }
        let statement = try SQLiteStatement(self, sql)
        if statements.count >= Self.statementLimit { forgetIdleStatements() }
        statements[sql] = statement
        return statement
    }

    private func forgetIdleStatements() {
        statements = statements.filter { $0.value.isBusy }
    }

    /// Finalizes all idle statements: some pragmas and closing the connection require that there are none.
    func forgetStatements() {
        for statement in statements.values where !statement.isBusy { statement.finalize() }
        statements = [:]
    }

    /// Runs one or more statements without results.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    func failure(_ code: Int32, _ sql: String? = nil) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    /// The number of rows that the last statement has changed, not counting triggers.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Returns the first value of a query's first row as an integer, or `nil` if there is none or it is null.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Returns the first value of a query's first row as a string, or `nil` if there is none or it is null.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.text(0)
    }

    func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let statement = try statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step()
    }

    // MARK: Transactions

    enum Transaction: String {
        /// Begins with the first read: all reads see one state.
        case deferred = "BEGIN DEFERRED"
        /// Acquires the write lock immediately, so that no other connection changes what was read before it is written.
        case immediate = "BEGIN IMMEDIATE"
        /// Also excludes other readers.
        case exclusive = "BEGIN EXCLUSIVE"
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a block in a transaction, which is rolled back if the block throws. Within another transaction, it is part
    /// of that one.
    func transaction<Result>(_ kind: Transaction = .immediate, _ body: () throws -> Result) throws -> Result {
        if isInTransaction { return try body() }
        do {
            try begin(kind)
            let result = try body()
            try commit(kind)
            return result
        } catch {
            throw rollBack(kind, after: error)
        }
    }

    /// Begins a transaction, which ends with `commit` or `rollBack`.
    func begin(_ kind: Transaction) throws(SQLiteError) {
        try execute(kind.rawValue)
        if kind != .deferred { try checkFilesAreInPlace() }
    }

    /// Commits the transaction. After a failure, it must be rolled back.
    func commit(_ kind: Transaction) throws(SQLiteError) {
        try execute("COMMIT")
        // Data committed to a file that was deleted in the meantime must not count as saved.
        if kind != .deferred { try checkFilesAreInPlace() }
    }

    /// Ends a transaction that has failed. Returns the error to throw.
    func rollBack(_ kind: Transaction, after error: any Error) -> any Error {
        // A full disk makes SQLite end a transaction itself.
        if isInTransaction { try? execute("ROLLBACK") }
        guard kind != .deferred, error is SQLiteError else { return error }
        do {
            // SQLite reports a moved file as an I/O error.
            try checkFilesAreInPlace()
        } catch let moved {
            return moved
        }
        return error
    }

    /// Copies frames of the write-ahead log into the database, without waiting for other connections: those that all
    /// readers have seen.
    ///
    /// - Returns: The number of frames in the log, and of those that all readers have seen; `nil` if there is no log.
    func checkpoint() throws(SQLiteError) -> (frames: Int, copied: Int)? {
        var (frames, copied): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
        guard code == SQLITE_OK else { throw failure(code) }
        return frames < 0 ? nil : (Int(frames), Int(copied))
    }

    /// Moves all frames of the write-ahead log into the database, and empties it.
    ///
    /// - Returns: Whether the database has all frames now; `false` if a connection reads an older state.
    func emptyLog() throws(SQLiteError) -> Bool {
        let statement = try statement("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { statement.reset() }
        guard try statement.step() else { return true }
        let (isBusy, frames, copied) = (statement.integer(0) != 0, statement.integer(1), statement.integer(2))
        return !isBusy || (frames >= 0 && frames == copied)
    }

    /// Whether another file is at the path of the database.
    var isReplaced: Bool {
        var hasMoved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0 && FileStatus.identity(path) != nil
    }

    /// Whether the file was opened as immutable and has been written since, which SQLite does not notice.
    var isOutdated: Bool {
        // A connection continues to read a file that is missing, as every other connection does.
        guard let version, !isInTransaction, !isReplaced, let current = StoreFileLocation.version(atPath: path) else {
            return false
        }
        return current != version || FileStatus.size(logPath) ?? 0 > 0
    }

    private var logPath: String {
        sqlite3_filename_wal(sqlite3_db_filename(handle, "main")).map { String(cString: $0) } ?? ""
    }

    /// Records the identity of the write-ahead log once it is open.
    func recordLog() throws(SQLiteError) {
        guard try text("PRAGMA journal_mode")?.lowercased() == "wal" else { return log = nil }
        let path = logPath
        log = FileStatus.identity(path).map { (path, $0) }
    }

    /// Throws an error if the database or its log was moved, deleted or replaced. This takes two calls of `stat`.
    private func checkFilesAreInPlace() throws(SQLiteError) {
        var hasMoved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved == 0 else { throw .moved("the file") }
        if let log, FileStatus.identity(log.path) != log.identity { throw .moved("the write-ahead log") }
    }

    /// The version of the data that the last statement has read. It changes with every write of any connection, this
    /// one included, and takes no statement.
    var pagerVersion: UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// Returns a number that changes when another connection has written to the file.
    func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") ?? 0 }

    /// Returns a number that changes with the schema of the file.
    func schemaVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA schema_version") ?? 0 }
}
