internal import CSQLite3

/// A compiled statement, with values bound by position.
///
/// Used by one thread at a time, like its connection.
final class SQLiteStatement {
    /// The SQLite handle, for code that reads many columns.
    let handle: OpaquePointer
    /// The connection, which finalizes its statements before it is released.
    private unowned(unsafe) let connection: SQLiteConnection
    /// Whether rows are being read, so that the statement must not be reused.
    private(set) var isBusy = false
    private var isFinalized = false
    /// The result code of the first value that could not be bound since the statement last ran, for instance because it
    /// is larger than SQLite's limit.
    private var bindFailure = SQLITE_OK

    /// The flag that makes SQLite copy bound values.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ connection: SQLiteConnection, _ sql: String) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code, sql) }
        handle = prepared
        self.connection = connection
    }

    deinit {
        finalize()
    }

    /// Finalizes the SQLite statement.
    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        sqlite3_finalize(handle)
    }

    // MARK: Binding, by position from 1

    // A value that cannot be bound would be null, so the statement must not run.

    func bind(_ value: Int64, at index: Int32) { record(sqlite3_bind_int64(handle, index, value)) }

    func bind(_ value: Double, at index: Int32) { record(sqlite3_bind_double(handle, index, value)) }

    func bindNull(at index: Int32) { record(sqlite3_bind_null(handle, index)) }

    func bind(_ value: String, at index: Int32) {
        var value = value
        value.withUTF8 { text in
            // A null pointer would bind null.
            guard let start = text.baseAddress, !text.isEmpty else {
                return record(sqlite3_bind_text(handle, index, "", 0, nil))
            }
            start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
                record(
                    sqlite3_bind_text64(
                        handle, index, start, UInt64(text.count), Self.transient, UInt8(SQLITE_UTF8)))
            }
        }
    }

    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return record(sqlite3_bind_zeroblob(handle, index, 0))
        }
        record(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.transient))
    }

    /// Binds a text of any bytes, valid UTF-8 or not.
    func bindText(_ bytes: [UInt8], at index: Int32) {
        guard !bytes.isEmpty else { return record(sqlite3_bind_text(handle, index, "", 0, nil)) }
        bytes.withUnsafeBytes { buffer in
            record(
                sqlite3_bind_text64(
                    handle, index, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(buffer.count),
                    Self.transient, UInt8(SQLITE_UTF8)))
        }
    }

    @inline(__always)
    private func record(_ code: Int32) {
        if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
    }

    func bind(_ bytes: [UInt8], at index: Int32) {
        bytes.withUnsafeBytes { bind($0, at: index) }
    }

    // MARK: Rows

    /// Advances to the next row. Returns `false` after the last one, when the statement is also reset.
    func step() throws(SQLiteError) -> Bool {
        if bindFailure != SQLITE_OK {
            defer { bindFailure = SQLITE_OK }
            throw SQLiteError(code: bindFailure, message: String(cString: sqlite3_errstr(bindFailure)), sql: sql)
        }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW {
            isBusy = true
            return true
        }
        isBusy = false
        // The connection keeps the message until its next call.
        let failure = code == SQLITE_DONE ? nil : connection.failure(code, sql)
        sqlite3_reset(handle)
        if let failure { throw failure }
        return false
    }

    /// Runs a statement without results, and returns the number of rows that it has changed.
    @discardableResult
    func run() throws(SQLiteError) -> Int {
        while try step() {}
        return connection.changes
    }

    /// Stops reading. Bound values stay until they are bound again.
    func reset() {
        isBusy = false
        bindFailure = SQLITE_OK
        sqlite3_reset(handle)
    }

    /// Stops reading, and releases bound values.
    func clear() {
        reset()
        sqlite3_clear_bindings(handle)
    }

    /// The text of the statement.
    var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    // MARK: Columns, by index from 0

    /// SQLite's storage class of a value.
    enum Kind {
        case null
        case integer
        case real
        case text
        case bytes
    }

    /// Returns the storage class of a column's value.
    func kind(_ column: Int32) -> Kind {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .bytes
        default: .null
        }
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns the integer in a column, or `nil` for null.
    func optionalInteger(_ column: Int32) -> Int64? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
    }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Returns the text of a column, or an empty string for null. Invalid UTF-8 is repaired.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Returns the bytes of a column, which are valid until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_column_blob(handle, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
