/// A statement with the values of its parameters.
package struct Statement: Sendable {
    /// The text of a single statement, with parameters as `$1`, `$2`… The extended protocol allows only one.
    package let sql: String
    /// The values of the parameters.
    package let values: [PostgreSQLValue]
    /// Whether the server keeps the statement for its next execution, if the connection prepares statements at all.
    package let isPrepared: Bool

    /// Creates a statement.
    package init(_ sql: String, _ values: [PostgreSQLValue] = [], isPrepared: Bool = true) {
        self.sql = sql
        self.values = values
        self.isPrepared = isPrepared
    }
}
