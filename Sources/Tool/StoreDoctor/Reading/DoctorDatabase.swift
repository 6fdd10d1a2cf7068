internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import StoreFile

/// A store's database: read through a connection that leaves no trace, in one snapshot, or a copy that is being
/// changed.
final class DoctorDatabase {
    typealias Failure = SQLiteQuery.Failure

    /// The connection that leaves no trace; `nil` if the database is being changed.
    private let inspection: DatabaseInspection?
    /// SQLite's connection.
    let handle: OpaquePointer
    /// The functions that conditions call, which SQLite refers to.
    private var functions: [CellFunction] = []

    /// Opens a database to read it.
    private init(path: String, access: DatabaseInspection.Access) throws(Failure) {
        var options = DatabaseInspection.Options()
        options.access = access
        let inspection = try DatabaseInspection(path: path, options)
        self.inspection = inspection
        handle = inspection.handle
    }

    /// Begins to read the state that the database has now.
    func begin() throws(Failure) {
        // Rows and entries of indexes are looked up in any order, for which SQLite's 2 MB are little.
        try execute(
            "PRAGMA query_only = 1; PRAGMA cache_size = -32768; BEGIN DEFERRED; SELECT count(*) FROM sqlite_master")
    }

    /// Reads one state of a database: again if the file changes while it is read without a lock.
    ///
    /// - Parameters:
    ///   - access: The access for the first readings.
    ///   - didRead: Called after each reading.
    ///   - body: Reads the database. What it returns or throws counts only if it has read one state.
    /// - Throws: The error of `body`, `Failure` if the database cannot be opened, or `StoreDoctor.Failure` if the file
    ///   changes again and again.
    static func readOneState<Value>(
        of path: String, access: DatabaseInspection.Access = .unlocked, didRead: () -> Void = {},
        _ body: (DoctorDatabase) throws -> Value
    ) throws -> Value {
        let value = try DatabaseInspection.readOneState(
            access: access, open: { try DoctorDatabase(path: path, access: $0) },
            isConsistent: { $0.inspection?.isConsistent ?? true }
        ) { database in
            defer { didRead() }
            return try body(database)
        }
        guard let value else { throw StoreDoctor.Failure(kind: .changing, message: "the store is being changed") }
        return value
    }

    /// Opens a database that belongs to this process, to change it.
    ///
    /// - Parameter creates: Whether there is no such file yet.
    init(changing path: String, creates: Bool = false) throws(Failure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | (creates ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = String(cString: opened.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw Failure(code: code, message: message)
        }
        inspection = nil
        handle = opened
    }

    deinit {
        if inspection == nil {
            sqlite3_close_v2(handle)
        } else {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        }
    }

    /// Whether a copy is read, because a journal had to be rolled back.
    var isCopy: Bool { inspection?.isCopy ?? false }

    /// Whether a database that is only read is in WAL mode.
    var isInLogMode: Bool { inspection?.isInLogMode ?? false }

    /// Runs statements without results.
    func execute(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Writes the content to a new file, without free pages.
    func vacuum(into target: String) throws(Failure) {
        var name = target
        // A connection without locks writes no file through its own file system layer.
        if inspection != nil, let layer = sqlite3_vfs_find(nil)?.pointee.zName {
            name = "file:\(DatabaseURI.escaped(target))?vfs=\(String(cString: layer))"
        }
        try execute("VACUUM INTO \(SQLName.literal(name))")
    }

    /// Moves the log into the file.
    ///
    /// - Throws: `Failure` if a connection uses the log, or the file cannot be written.
    func checkpoint() throws(Failure) {
        guard try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            throw Failure(code: SQLITE_BUSY, message: "another connection uses the log")
        }
    }

    /// The number of rows that statements have changed.
    var changeCount: Int { Int(sqlite3_total_changes(handle)) }

    func failure(_ code: Int32) -> Failure { Failure(code, on: handle) }

    // MARK: Queries

    /// Registers the functions that predicates need in SQL.
    func registerPredicateFunctions() throws(Failure) {
        let code = RowSelection.registerFunctions(on: handle)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func query(_ sql: String) throws(Failure) -> SQLiteQuery { try SQLiteQuery(sql, on: handle, of: self) }

    /// Calls a closure with each row of a query.
    func forEach(_ sql: String, _ body: (SQLiteQuery) -> Void) throws(Failure) {
        let query = try query(sql)
        while try query.step() { body(query) }
    }

    /// Returns the first value of a query's first row as an integer; `nil` if there is none or it is null.
    func integer(_ sql: String) throws(Failure) -> Int64? {
        let query = try query(sql)
        guard try query.step() else { return nil }
        return query.integer(0)
    }

    /// Returns the first value of a query's first row as a text; `nil` if there is none or it is null.
    func text(_ sql: String) throws(Failure) -> String? {
        let query = try query(sql)
        guard try query.step(), !query.isNull(0) else { return nil }
        return query.text(0)
    }

    // MARK: Functions

    /// Whether the database keeps strings as UTF-8, as Core Data's stores do.
    private lazy var isUTF8 = (try? text("PRAGMA encoding")) == "UTF-8"

    /// Adds a function of a column's value to SQL, for conditions that SQL cannot express.
    ///
    /// - Returns: The name of the function.
    func addFunction(_ body: @escaping (CellValue) -> Bool) throws(Failure) -> String {
        let function = CellFunction(isUTF8: isUTF8, body)
        let name = "modelc_\(functions.count + 1)"
        let code = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passUnretained(function).toOpaque(),
            { context, _, values in
                guard let data = sqlite3_user_data(context), let value = values?.pointee else { return }
                let function = Unmanaged<CellFunction>.fromOpaque(data).takeUnretainedValue()
                sqlite3_result_int(context, function.body(CellValue(value, isUTF8: function.isUTF8)) ? 1 : 0)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        functions.append(function)
        return name
    }
}

extension DoctorDatabase.Failure {
    /// Whether the content of the file is invalid.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(code & 0xFF) }
    /// Whether the file is a database, and its content is invalid.
    var isDamagedDatabase: Bool { code & 0xFF == SQLITE_CORRUPT }
    /// Whether the file cannot be written, such as on a full disk.
    var isUnwritable: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(code & 0xFF)
    }
    /// Whether the statement is the reason, rather than the file, the disk or another process.
    var isOfStatement: Bool {
        !isDamage && !isUnwritable && !isBusy && ![SQLITE_NOMEM, SQLITE_INTERRUPT].contains(code & 0xFF)
    }
    /// Whether a statement would have broken a constraint.
    var isConstraint: Bool { code & 0xFF == SQLITE_CONSTRAINT }
}

/// A function that a condition calls.
private final class CellFunction {
    let body: (CellValue) -> Bool
    /// Whether the database keeps strings as UTF-8.
    let isUTF8: Bool

    init(isUTF8: Bool, _ body: @escaping (CellValue) -> Bool) {
        self.isUTF8 = isUTF8
        self.body = body
    }
}

/// The value that a function is called with, which is valid during the call.
struct CellValue {
    private let value: OpaquePointer
    private let isUTF8: Bool

    /// - Parameter isUTF8: Whether a text is known to be UTF-8, so that it need not be converted.
    init(_ value: OpaquePointer, isUTF8: Bool = false) {
        self.value = value
        self.isUTF8 = isUTF8
    }

    var isInteger: Bool { sqlite3_value_type(value) == SQLITE_INTEGER }
    var isReal: Bool { sqlite3_value_type(value) == SQLITE_FLOAT }
    var isText: Bool { sqlite3_value_type(value) == SQLITE_TEXT }
    var integer: Int64 { sqlite3_value_int64(value) }
    var real: Double { sqlite3_value_double(value) }

    /// The bytes of a text, in UTF-8, or blob.
    var bytes: UnsafeRawBufferPointer {
        // SQLite copies a text to end it with a zero, unless it is asked for as a blob.
        let start: UnsafeRawPointer? =
            isText && !isUTF8 ? sqlite3_value_text(value).map { UnsafeRawPointer($0) } : sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// The text. Invalid UTF-8 is repaired.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Literals and conditions in SQL.
enum SQL {
    /// Returns bytes as a literal.
    static func literal(_ bytes: [UInt8]) -> String { "x'\(bytes.hexadecimal)'" }

    /// Returns the condition that a value, which is not null, is not the key of a row.
    ///
    /// SQLite looks for a value in a list of all keys without making the list, and without a subquery for each value.
    static func isNotAKey(_ value: String, of table: String) -> String {
        "\(value) NOT IN (SELECT Z_PK FROM \(SQLName.inQuotes(table)))"
    }
}
