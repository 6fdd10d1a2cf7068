internal import CSQLite3

/// A SQLite database that is read without changing it.
final class ReadOnlyDatabase {
    private let inspection: DatabaseInspection

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
        do throws(SQLiteQuery.Failure) {
            let query = try SQLiteQuery(sql, on: inspection.handle, of: inspection)
            var result: [[Value]] = []
            while result.count < limit, try query.step() {
                result.append((0..<query.columnCount).map { Self.value(query, $0) })
            }
            return result
        } catch {
            throw StoreFileError(.unreadable, "SQLite cannot read the file: \(error.message)")
        }
    }

    private static func value(_ query: SQLiteQuery, _ column: Int) -> Value {
        switch sqlite3_column_type(query.statement, Int32(column)) {
        case SQLITE_INTEGER: query.integer(column).map { .integer($0) } ?? .other
        case SQLITE_TEXT: .text(query.text(column))
        case SQLITE_BLOB: .bytes(query.bytes(column))
        default: .other
        }
    }

    func hasTable(_ name: String) throws(StoreFileError) -> Bool {
        try firstRow("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(SQLSpelling.literal(name))") != nil
    }
}
