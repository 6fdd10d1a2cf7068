/// The tables, columns, indexes and triggers of a store, for comparisons.
package struct StoreSchemaListing: Sendable {
    /// A line for each table, column, index and trigger of Core Data. The order of columns does not matter.
    package let lines: Set<String>

    /// Lists the schema of a store, without changing it. History tables and everything that Core Data did not create
    /// are left out.
    ///
    /// - Parameter path: The path of the file, absolute or relative to the process's working directory.
    /// - Throws: `StoreFileError` if it is not a database.
    package init(path: String) throws(StoreFileError) {
        self = try ReadOnlyDatabase.readOneState(of: path) { database throws(StoreFileError) in
            try StoreSchemaListing(database)
        }
    }

    private init(_ database: ReadOnlyDatabase) throws(StoreFileError) {
        var lines: Set<String> = []
        for row in try database.rows(
            """
            SELECT 'column ' || m.name || '.' || c.name || ' ' || c.type || CASE c.pk WHEN 0 THEN '' ELSE ' key' END
            FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name LIKE 'Z%'
            UNION ALL SELECT type || ' ' || tbl_name || ': ' || sql FROM sqlite_master
            WHERE type IN ('index', 'trigger') AND sql NOT NULL AND tbl_name LIKE 'Z%' AND name LIKE 'Z%'
            UNION ALL SELECT 'entity ' || Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000
            """)
        {
            if case .text(let line)? = row.first { lines.insert(line) }
        }
        self.lines = lines
    }
}
