internal import CSQLite3

/// A SQLite database that is read without changing it.
final class ReadOnlyDatabase {
    private let inspection: DatabaseInspection
    private var handle: OpaquePointer { inspection.handle }

    /// Reads one state of a database.
    ///
    /// - Parameter body: Reads the database; called again if it changes meanwhile.
    static func readOneState<Value>(
        of path: String, _ body: (ReadOnlyDatabase) throws(StoreFileError) -> Value
    ) throws(StoreFileError) -> Value {
        let value = try DatabaseInspection.readOneState(
            open: { access throws(StoreFileError) in try ReadOnlyDatabase(path: path, access: access) },
            isConsistent: { $0.inspection.isConsistent }, body)
        guard let value else {
            throw StoreFileError(.locked, "another process has changed the store while it was read")
        }
        return value
    }

    private init(path: String, access: DatabaseInspection.Access) throws(StoreFileError) {
        var options = DatabaseInspection.Options()
        options.access = access
        do throws(DatabaseInspection.Failure) {
            inspection = try DatabaseInspection(path: path, options)
        } catch {
            guard !error.isBusy else { throw StoreFileError(.locked, "another process has locked the store") }
            throw StoreFileError(.unreadable, "SQLite cannot read the file: \(error.message)")
        }
        // All statements read one state, also where other processes may write. An error is met again by the first
        // query.
        sqlite3_exec(inspection.handle, "BEGIN; SELECT count(*) FROM sqlite_master", nil, nil, nil)
    }

    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case other
    }

    /// Returns the values of the first row of a query, or `nil` if it has no rows.
    func firstRow(_ sql: String) throws(StoreFileError) -> [Value]? {
        try rows(sql, limit: 1).first
    }

    /// Returns the values of all rows of a query.
    ///
    /// - Parameter limit: The maximum number of rows to read.
    func rows(_ sql: String, limit: Int = .max) throws(StoreFileError) -> [[Value]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
        defer { sqlite3_finalize(statement) }
        var result: [[Value]] = []
        while result.count < limit {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return result
            case SQLITE_ROW:
                result.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
            default: throw failure()
            }
        }
        return result
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            return sqlite3_column_text(statement, column).map { .text(String(cString: $0)) } ?? .other
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let start = sqlite3_column_blob(statement, column) else { return .bytes([]) }
            return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default:
            return .other
        }
    }

    func hasTable(_ name: String) throws(StoreFileError) -> Bool {
        try firstRow("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(RawTables.literal(name))") != nil
    }

    private func failure() -> StoreFileError {
        StoreFileError(.unreadable, "SQLite cannot read the file: \(String(cString: sqlite3_errmsg(handle)))")
    }
}
