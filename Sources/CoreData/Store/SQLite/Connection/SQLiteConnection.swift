internal import CSQLite3
internal import Foundation
internal import StoreFile

/// A connection to a SQLite database.
///
/// Used by one thread at a time: stores use theirs under the lock of the coordinator.
final class SQLiteConnection {
    /// SQLite's connection, for functions and collations that are registered on it.
    let handle: OpaquePointer
    /// The path of the file.
    let path: String
    let isReadOnly: Bool
    /// What keeps a connection open that only inspects the file.
    private let inspection: DatabaseInspection?
    private var statements: [String: SQLiteStatement] = [:]
    private var trace: SQLTrace?
    private var log: (path: String, identity: FileStatus.Identity)?

    /// Statements that are kept for the next time; fetches with literals in their text could make any number.
    private static let statementLimit = 200

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file; created if it is missing and `isReadOnly` is false.
    ///   - isReadOnly: whether the connection never writes.
    ///   - isImmutable: whether no process writes the file: nothing is locked, and no log is read.
    ///   - timeout: how long to wait for other connections, in seconds.
    ///   - vfs: SQLite's file system layer; `nil` for the default.
    init(
        path: String, isReadOnly: Bool = false, isImmutable: Bool = false,
        timeout: Double = SQLiteOptions.defaultTimeout, vfs: String? = nil
    ) throws(SQLiteError) {
        self.path = path
        self.isReadOnly = isReadOnly
        inspection = nil
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        handle = try Self.open(
            "file:" + DatabaseURI.escaped(path) + (isImmutable ? "?immutable=1" : ""), access, vfs: vfs)
        setTimeout(timeout)
        if SQLDebug.level > 0 { trace = SQLTrace(self) }
    }

    /// Opens a database in memory that all connections of this process share by its name, as long as there is one.
    init(memoryName: String, at path: String, timeout: Double) throws(SQLiteError) {
        self.path = path
        isReadOnly = false
        inspection = nil
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

    /// Opens an existing file for a look that leaves file and folder exactly as they are.
    init(inspecting path: String, _ settings: SQLiteOptions) throws(SQLiteError) {
        var options = DatabaseInspection.Options()
        options.timeout = Self.milliseconds(settings.timeout)
        options.scratchFolder = FileManager.default.temporaryDirectory.path
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
    }

    deinit {
        close()
    }

    /// How long to wait for other connections, in seconds.
    func setTimeout(_ seconds: Double) {
        sqlite3_busy_timeout(handle, Self.milliseconds(seconds))
    }

    private static func milliseconds(_ seconds: Double) -> Int32 {
        seconds > 0 ? Int32(min(seconds, 1_000_000) * 1000) : 0
    }

    private var isClosed = false

    /// Closes the file; with the last connection the log goes too.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        statements = [:]
        if inspection == nil { sqlite3_close_v2(handle) }
    }

    // MARK: Statements

    /// Returns a statement, compiled once. It is reset, and has no values bound.
    ///
    /// One that is in use, because a fetch calls for another like it, is compiled again.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let known = statements[sql], !known.isBusy { return known }
        let statement = try SQLiteStatement(self, sql)
        if statements.count >= Self.statementLimit { forgetIdleStatements() }
        statements[sql] = statement
        return statement
    }

    private func forgetIdleStatements() {
        statements = statements.filter { $0.value.isBusy }
    }

    /// Lets go of all statements: some pragmas and the end of a connection want none.
    func forgetStatements() {
        for statement in statements.values where !statement.isBusy { statement.finalize() }
        statements = [:]
    }

    /// Runs one or several statements without results.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// Returns the error for a code that a call has given.
    func failure(_ code: Int32, _ sql: String? = nil) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    /// How many rows the last statement has changed, triggers not counted.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Returns the first value of the first row of a query, as an integer; nil for none or null.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Returns the first value of the first row of a query, as a text; nil for none or null.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.text(0)
    }

    /// Returns whether there is a table of that name.
    func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let statement = try statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step()
    }

    // MARK: Transactions

    /// How a transaction begins.
    enum Transaction: String {
        /// With what is read first: all reads see one state.
        case deferred = "BEGIN DEFERRED"
        /// With the right to write, so that nothing that was read can be changed by others before it is written.
        case immediate = "BEGIN IMMEDIATE"
        /// Without any other reader.
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Whether a transaction is going on.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a block in a transaction, which an error takes back. Within another transaction it is a part of that.
    func transaction<Result>(_ kind: Transaction = .immediate, _ body: () throws -> Result) throws -> Result {
        if isInTransaction { return try body() }
        do {
            try execute(kind.rawValue)
            if kind != .deferred { try checkFilesAreInPlace() }
            let result = try body()
            try execute("COMMIT")
            // What was committed to a file that was deleted meanwhile must not count as saved.
            if kind != .deferred { try checkFilesAreInPlace() }
            return result
        } catch {
            // A full disk ends a transaction by itself.
            if isInTransaction { try? execute("ROLLBACK") }
            // SQLite calls it an I/O error.
            if kind != .deferred, error is SQLiteError { try checkFilesAreInPlace() }
            throw error
        }
    }

    /// Remembers which file the write-ahead log is, once it is open.
    func noteLog() throws(SQLiteError) {
        guard try text("PRAGMA journal_mode")?.lowercased() == "wal" else { return log = nil }
        let path = sqlite3_filename_wal(sqlite3_db_filename(handle, "main")).map { String(cString: $0) } ?? ""
        log = FileStatus.identity(path).map { (path, $0) }
    }

    /// Throws an error if the database or its log was moved, deleted or replaced. It takes two calls of `stat`.
    private func checkFilesAreInPlace() throws(SQLiteError) {
        var hasMoved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved == 0 else { throw .moved("the file") }
        if let log, FileStatus.identity(log.path) != log.identity { throw .moved("the write-ahead log") }
    }

    /// Returns a number that changes when another connection has written to the file.
    func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") ?? 0 }

    /// Returns a number that changes with the tables of the file.
    func schemaVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA schema_version") ?? 0 }
}
