/// The tables of a SQLite file as they are, for a store whose model is unknown.
package struct RawTables {
    package struct Table: Codable, Hashable, Sendable {
        package var name: String
        /// The names of the columns.
        package var columns: [String]
        /// The number of rows.
        package var count: Int64
    }

    /// A value of a row, as text.
    package struct Cell: Codable, Hashable, Sendable {
        /// SQLite's name of the type: `null`, `integer`, `real`, `text` or `blob`.
        package var type: String
        /// The value; the number of bytes of a BLOB. Long strings are truncated.
        package var text: String
    }

    private let path: String

    /// The maximum number of characters of a value.
    private static let textLimit = 200

    /// Creates a reader of a file, which is never changed.
    ///
    /// - Parameter path: The path of the file, absolute or relative to the process's working directory.
    package init(path: String) { self.path = path }

    /// Returns all tables except SQLite's own, sorted by name.
    ///
    /// - Throws: `StoreFileError` if they cannot be read.
    package func tables() throws(StoreFileError) -> [Table] {
        try ReadOnlyDatabase.readOneState(of: path) { database throws(StoreFileError) in try tables(in: database) }
    }

    private func tables(in database: ReadOnlyDatabase) throws(StoreFileError) -> [Table] {
        let names = texts(
            try database.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ))
        var tables: [Table] = []
        for name in names {
            let columns = texts(try database.rows("SELECT name FROM pragma_table_info(\(SQLSpelling.literal(name)))"))
            let row = try database.firstRow("SELECT count(*) FROM \(SQLSpelling.name(name))")
            guard case .integer(let count)?? = row?.first else { continue }
            tables.append(Table(name: name, columns: columns, count: count))
        }
        return tables
    }

    /// Returns a part of the rows of a table.
    ///
    /// - Returns: The rows, empty if there is no such table.
    /// - Throws: `StoreFileError` if they cannot be read.
    package func rows(of name: String, offset: Int, limit: Int) throws(StoreFileError) -> [[Cell]] {
        try ReadOnlyDatabase.readOneState(of: path) { database throws(StoreFileError) in
            try rows(of: name, in: database, range: "LIMIT \(limit) OFFSET \(offset)")
        }
    }

    private func rows(
        of name: String, in database: ReadOnlyDatabase, range: String
    ) throws(StoreFileError) -> [[Cell]] {
        guard try database.hasTable(name) else { return [] }
        let columns = texts(try database.rows("SELECT name FROM pragma_table_info(\(SQLSpelling.literal(name)))"))
        guard !columns.isEmpty else { return [] }
        let values = columns.map { column in
            let column = SQLSpelling.name(column)
            return """
                typeof(\(column)), CASE typeof(\(column)) WHEN 'null' THEN '' WHEN 'blob' THEN CAST(length(\(column)) AS TEXT) \
                ELSE substr(CAST(\(column) AS TEXT), 1, \(Self.textLimit)) END
                """
        }
        let list = values.joined(separator: ", ")
        let rows = try database.rows("SELECT \(list) FROM \(SQLSpelling.name(name)) \(range)")
        return rows.map { row in
            stride(from: 0, to: row.count - 1, by: 2).map { index in
                Cell(type: Self.text(row[index]) ?? "null", text: Self.text(row[index + 1]) ?? "")
            }
        }
    }

    private func texts(_ rows: [[ReadOnlyDatabase.Value]]) -> [String] {
        rows.compactMap { $0.first.flatMap(Self.text) }
    }

    private static func text(_ value: ReadOnlyDatabase.Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }
}
