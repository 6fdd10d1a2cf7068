import CSQLite3
import Testing

@testable import CoreData

/// A database opened with SQLite's C interface, for tests.
final class TestDatabase {
    let handle: OpaquePointer

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Opens a file, or an in-memory database.
    init(path: String = ":memory:") throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw Failure(description: "cannot open \(path)")
        }
        self.handle = handle
    }

    deinit {
        sqlite3_close(handle)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        }
    }

    /// Returns the rows of a query as texts, with `nil` for NULL.
    func rows(_ query: SQLFragment) throws -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, query.text, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(query.text)")
        }
        defer { sqlite3_finalize(statement) }
        for (index, argument) in query.arguments.enumerated() { Self.bind(argument, statement, Int32(index + 1)) }
        var rows: [[String?]] = []
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(query.text)")
        }
        return rows
    }

    func rows(_ sql: String) throws -> [[String?]] { try rows(SQLFragment(sql)) }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func bind(_ argument: SQLArgument, _ statement: OpaquePointer?, _ position: Int32) {
        switch argument {
        case .null: sqlite3_bind_null(statement, position)
        case .integer(let number): sqlite3_bind_int64(statement, position, number)
        // SQLite's dialect does not produce these.
        case .boolean, .decimal, .uuid, .array: sqlite3_bind_null(statement, position)
        case .real(let number): sqlite3_bind_double(statement, position, number)
        case .text(let text): sqlite3_bind_text(statement, position, text, Int32(text.utf8.count), transient)
        case .bytes(let bytes):
            _ = bytes.withUnsafeBytes {
                sqlite3_bind_blob(statement, position, $0.baseAddress, Int32($0.count), transient)
            }
        }
    }
}
