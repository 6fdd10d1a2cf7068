import CSQLiteReference
import Foundation

/// Everything that a SQLite file holds, in memory, to be written again with the least work.
final class ReferenceContent {
    private var schema: [String] = []
    private var tables: [(insert: String, rows: [[OpaquePointer?]])] = []

    init(_ url: URL) throws {
        let source = try ReferenceDatabase(url)
        let names = try Self.texts(source, "SELECT name FROM sqlite_master WHERE type = 'table'")
        schema = try Self.texts(source, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC")
        // Triggers would compute again what the rows have.
        schema.removeAll { $0.hasPrefix("CREATE TRIGGER") }
        for name in names {
            let statement = try source.prepare("SELECT * FROM \"\(name)\"")
            defer { sqlite3_finalize(statement) }
            let columns = sqlite3_column_count(statement)
            var rows: [[OpaquePointer?]] = []
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append((0..<columns).map { sqlite3_value_dup(sqlite3_column_value(statement, $0)) })
            }
            let places = [String](repeating: "?", count: Int(columns)).joined(separator: ", ")
            tables.append(("INSERT INTO \"\(name)\" VALUES(\(places))", rows))
        }
    }

    deinit {
        for value in tables.flatMap({ $0.rows.joined() }) { sqlite3_value_free(value) }
    }

    private static func texts(_ database: ReferenceDatabase, _ sql: String) throws -> [String] {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        var result: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { result.append(ReferenceDatabase.text(statement, 0)) }
        return result
    }

    /// Writes the file with the settings that modelc-store uses.
    func write(to url: URL) throws {
        let target = try ReferenceDatabase(url)
        try target.run("PRAGMA journal_mode = MEMORY")
        try target.run("PRAGMA synchronous = OFF")
        try target.run("BEGIN")
        for statement in schema { try target.run(statement) }
        for table in tables {
            let statement = try target.prepare(table.insert)
            defer { sqlite3_finalize(statement) }
            for row in table.rows {
                for (index, value) in row.enumerated() { sqlite3_bind_value(statement, Int32(index + 1), value) }
                try ReferenceDatabase.step(statement)
            }
        }
        try target.run("COMMIT")
        try target.run("PRAGMA journal_mode = WAL")
    }
}
