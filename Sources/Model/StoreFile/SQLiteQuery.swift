internal import CSQLite3

/// A statement of a SQLite connection, of whose rows one is read at a time.
package final class SQLiteQuery {
    package typealias Failure = DatabaseInspection.Failure

    /// SQLite's statement, for code that reads many values.
    package let statement: OpaquePointer
    private let handle: OpaquePointer
    /// The owner of the connection, which stays open as long as its statements.
    private let owner: AnyObject

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Prepares a statement.
    ///
    /// - Parameters:
    ///   - handle: SQLite's connection.
    ///   - owner: The object that closes the connection when it is released.
    package init(_ sql: String, on handle: OpaquePointer, of owner: AnyObject) throws(Failure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw Failure(code, on: handle) }
        statement = prepared
        self.handle = handle
        self.owner = owner
    }

    deinit { sqlite3_finalize(statement) }

    /// Advances to the next row; returns `false` after the last one.
    package func step() throws(Failure) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw Failure(code, on: handle)
        }
    }

    /// Makes the statement ready to run again, with the same arguments.
    package func reset() { sqlite3_reset(statement) }

    /// Starts the query again with an integer for its first parameter.
    package func restart(_ value: Int64) {
        reset()
        bind(value, at: 1)
    }

    // MARK: Parameters

    /// Sets a parameter to an integer.
    ///
    /// - Parameter position: The number of the parameter, from 1.
    package func bind(_ value: Int64, at position: Int) { sqlite3_bind_int64(statement, Int32(position), value) }

    /// Sets a parameter to a real number.
    package func bind(_ value: Double, at position: Int) { sqlite3_bind_double(statement, Int32(position), value) }

    /// Sets a parameter to a string.
    package func bind(_ text: String, at position: Int) {
        var text = text
        text.withUTF8 { bind(utf8: UnsafeRawBufferPointer($0), at: position) }
    }

    /// Sets a parameter to a string in UTF-8, which need not be valid.
    package func bind(utf8 text: UnsafeRawBufferPointer, at position: Int) {
        // Without a pointer, an empty string would be NULL.
        guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self), !text.isEmpty else {
            sqlite3_bind_text(statement, Int32(position), "", 0, Self.transient)
            return
        }
        sqlite3_bind_text64(
            statement, Int32(position), start, UInt64(text.count), Self.transient, UInt8(SQLITE_UTF8))
    }

    /// Sets a parameter to a blob.
    package func bind(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(statement, Int32(position), 0)
        } else {
            sqlite3_bind_blob64(
                statement, Int32(position), bytes.baseAddress, UInt64(bytes.count), Self.transient)
        }
    }

    /// Sets a parameter to null.
    package func bindNull(at position: Int) { sqlite3_bind_null(statement, Int32(position)) }

    /// Sets a parameter to the value of a column of another statement's current row.
    package func bind(column: Int32, of row: OpaquePointer, at position: Int) {
        sqlite3_bind_value(statement, Int32(position), sqlite3_column_value(row, column))
    }

    // MARK: Columns

    package var columnCount: Int { Int(sqlite3_column_count(statement)) }

    package func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

    /// Returns whether a value has the storage class of integers.
    package func isInteger(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_INTEGER }

    /// Returns an integer, or `nil` for null.
    package func integer(_ column: Int) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(statement, Int32(column))
    }

    /// Returns a real number, or `nil` for null.
    package func real(_ column: Int) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, Int32(column))
    }

    /// Returns a text, empty for null. Invalid UTF-8 is repaired.
    package func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Returns the bytes of a value; empty for null.
    package func bytes(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
