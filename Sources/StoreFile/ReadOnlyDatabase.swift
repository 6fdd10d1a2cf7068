internal import CSQLite3

/// A SQLite database that is looked at and left exactly as it was.
final class ReadOnlyDatabase {
    private let inspection: DatabaseInspection
    private var handle: OpaquePointer { inspection.handle }

    /// Opens a database.
    init(path: String) throws(StoreFileError) {
        do throws(DatabaseInspection.Failure) {
            inspection = try DatabaseInspection(path: path)
        } catch {
            throw StoreFileError(.unreadable, "SQLite cannot read the file: \(error.message)")
        }
    }

    /// A value of the first row of a query.
    enum Value {
        case text(String)
        case bytes([UInt8])
        case other
    }

    /// The values of the first row of a query; nil when it has no rows.
    func firstRow(_ sql: String) throws(StoreFileError) -> [Value]? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
        defer { sqlite3_finalize(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_DONE: return nil
        case SQLITE_ROW: break
        default: throw failure()
        }
        return (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
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
    }

    /// Whether there is a table of that name.
    func hasTable(_ name: String) throws(StoreFileError) -> Bool {
        try firstRow("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(name)'") != nil
    }

    private func failure() -> StoreFileError {
        StoreFileError(.unreadable, "SQLite cannot read the file: \(String(cString: sqlite3_errmsg(handle)))")
    }
}
