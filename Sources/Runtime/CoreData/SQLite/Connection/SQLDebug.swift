internal import CSQLite3
internal import Foundation
internal import RuntimeSupport

/// Logging of SQL statements, as on Apple's platforms.
///
/// Switched on by Apple's launch argument `-com.apple.CoreData.SQLDebug N` or the environment variable
/// `COREDATA_SQL_DEBUG=N`: 1 logs statements and their times, 2 also their preparation and finalization, 3 also the
/// values bound to them.
enum SQLDebug {
    static let level = level(
        arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment)

    static func level(arguments: [String], environment: [String: String]) -> Int {
        let argument = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug").flatMap { index in
            arguments.indices.contains(index + 1) ? Int(arguments[index + 1]) : nil
        }
        return argument ?? environment["COREDATA_SQL_DEBUG"].flatMap { Int($0) } ?? 0
    }

    /// Logs a message if the level is high enough.
    static func record(_ message: @autoclosure () -> String, level requested: Int = 1) {
        guard level >= requested else { return }
        StandardError.write("CoreData: annotation: \(message())\n")
    }
}

/// Logs the statements of a connection on the standard error stream.
final class SQLTrace {
    /// The number of rows returned so far by each running statement.
    private var rows: [OpaquePointer: Int] = [:]

    init(_ connection: SQLiteConnection) {
        SQLDebug.record("Connecting to sqlite database file at “\(connection.path)”")
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
        // The connection retains this object while it is open.
        sqlite3_trace_v2(
            connection.handle, events,
            { event, context, first, second in
                guard let context, let first else { return 0 }
                let trace = Unmanaged<SQLTrace>.fromOpaque(context).takeUnretainedValue()
                trace.handle(event, statement: OpaquePointer(first), value: second)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func handle(_ event: UInt32, statement: OpaquePointer, value: UnsafeMutableRawPointer?) {
        switch Int32(event) {
        case SQLITE_TRACE_ROW: rows[statement, default: 0] += 1
        case SQLITE_TRACE_STMT:
            let text = value.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            write("sql: \(text)")
            if SQLDebug.level >= 3, !text.hasPrefix("--"), let expanded = sqlite3_expanded_sql(statement) {
                write("details: \(String(cString: expanded))")
                sqlite3_free(expanded)
            }
        default:
            let nanoseconds = value?.loadUnaligned(as: Int64.self) ?? 0
            let seconds = String(format: "%.4f", Double(nanoseconds) / 1e9)
            let count = rows.removeValue(forKey: statement).map { " for \($0) rows" } ?? ""
            write("annotation: sql execution time: \(seconds)s\(count).")
        }
    }

    private func write(_ line: String) {
        StandardError.write("CoreData: \(line)\n")
    }
}
