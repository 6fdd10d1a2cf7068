import CSQLiteReference
import Foundation

/// The whole content of a SQLite file in memory, to be written again with the least work.
final class ReferenceContent {
    /// The settings used by modelc-store for writing, and those of the file.
    private let settings: [String]
    /// The statements that create tables and indexes, and those that create triggers, which would change rows that are
    /// written after.
    private let schema: [String]
    private let triggers: [String]
    private var tables: [(insert: String, rows: [[OpaquePointer?]])] = []

    init(_ url: URL) throws {
        let source = try ReferenceDatabase(url)
        settings = [
            "PRAGMA page_size = \(try source.text("PRAGMA page_size"))",
            "PRAGMA auto_vacuum = \(try source.text("PRAGMA auto_vacuum"))",
            "PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -65536",
        ]
        let names = try source.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        let statements = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type"
        schema = try source.texts("\(statements) <> 'trigger' ORDER BY type DESC")
        triggers = try source.texts("\(statements) = 'trigger'")
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

    /// Writes the file with the settings used by modelc-store.
    func write(to url: URL) throws {
        let target = try ReferenceDatabase(url, settings: settings)
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
        for statement in triggers { try target.run(statement) }
        try target.run("COMMIT")
        try target.run("PRAGMA journal_mode = WAL")
    }

    /// Checks that a file equals the original: the same number of pages, the same schema, and the same rows.
    func check(_ url: URL, against original: URL) throws {
        let copy = try ReferenceDatabase(url, settings: ["ATTACH '\(original.path)' AS original"])
        var queries = ["SELECT name, sql FROM @.sqlite_master"]
        queries += try copy.texts("SELECT name FROM sqlite_master WHERE type = 'table'").map {
            "SELECT * FROM @.\"\($0)\""
        }
        for query in queries {
            let (one, other) = (
                query.replacingOccurrences(of: "@", with: "main"), query.replacingOccurrences(of: "@", with: "original")
            )
            let difference = try copy.texts("\(one) EXCEPT \(other)") + copy.texts("\(other) EXCEPT \(one)")
            guard difference.isEmpty else { throw CommandFailure(description: "the reference differs: \(query)") }
        }
        let (pages, originalPages) = (
            try copy.text("PRAGMA main.page_count"), try copy.text("PRAGMA original.page_count")
        )
        guard let pages = Double(pages), let originalPages = Double(originalPages),
            abs(pages / originalPages - 1) < 0.02
        else { throw CommandFailure(description: "the reference has \(pages) pages, the store \(originalPages)") }
    }
}

extension ReferenceDatabase {
    /// Returns the first column of the rows of a query.
    fileprivate func texts(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        var result: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { result.append(Self.text(statement, 0)) }
        return result
    }

    /// Returns the first column of the first row of a query, or an empty string if there is no row.
    fileprivate func text(_ sql: String) throws -> String { try texts(sql).first ?? "" }
}
