/// The rows of a store that a finding is about.
package struct AffectedRows: Hashable, Sendable {
    /// The table; `nil` if the finding is about the file as a whole.
    package var table: String?
    /// The column; `nil` if the finding is about whole rows.
    package var column: String?
    /// The number of rows, or of what else the finding counts.
    package var count: Int
    /// Examples: the URIs of objects, or descriptions of rows that are not objects.
    package var examples: [String]
    /// A query that lists all rows in any SQLite shell; `nil` if SQLite's own functions cannot find them.
    package var sql: String?
    /// How `modelc store repair` can repair them: without further loss, or only by losing something; `nil` if it
    /// cannot.
    package var repair: FixIt.Safety?

    /// Creates a description of rows.
    package init(
        table: String? = nil, column: String? = nil, count: Int = 0, examples: [String] = [], sql: String? = nil
    ) {
        self.table = table
        self.column = column
        self.count = count
        self.examples = examples
        self.sql = sql
    }
}
