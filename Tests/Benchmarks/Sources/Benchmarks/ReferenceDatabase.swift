import CSQLiteReference
import Foundation

/// SQLite's C interface with the least work that stores the same rows: one prepared statement, bound and stepped.
final class ReferenceDatabase {
    private var handle: OpaquePointer?

    static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// The settings of an open store.
    static let settings = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"]

    /// Opens a file with some settings.
    init(_ url: URL, settings: [String] = settings) throws {
        try check(
            sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        for statement in settings { try run(statement) }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func run(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        return statement
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else {
            throw CommandFailure(description: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite \(code)")
        }
    }

    /// Runs a statement once.
    static func step(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw CommandFailure(description: "a statement failed") }
        sqlite3_reset(statement)
    }

    static func bind(_ text: String, _ statement: OpaquePointer?, _ place: Int32) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(statement, place, $0.baseAddress, Int32($0.count), transient)
            }
        }
    }

    static func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
