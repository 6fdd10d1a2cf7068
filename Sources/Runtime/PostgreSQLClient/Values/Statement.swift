/// A statement with the values of its parameters.
package struct Statement: Sendable, Hashable {
    /// The text of a single statement, with parameters as `$1`, `$2`… The extended protocol allows only one.
    package let sql: String
    /// The values of the parameters.
    package let values: [PostgreSQLValue]
    /// Whether the server keeps the statement for its next execution, if the connection prepares statements at all.
    package let isPrepared: Bool

    /// Creates a statement.
    ///
    /// - Parameter isPrepared: Whether the server keeps the statement; by default, if it is not about a session or a
    ///   schema.
    package init(_ sql: String, _ values: [PostgreSQLValue] = [], isPrepared: Bool? = nil) {
        self.sql = sql
        self.values = values
        self.isPrepared = isPrepared ?? !Self.usedOnce.contains { sql.hasPrefix($0) }
    }

    /// The beginnings of statements that are not worth preparing: those about sessions and schemas.
    private static let usedOnce = [
        "BEGIN", "COMMIT", "SET", "CREATE", "ALTER", "COMMENT", "DROP", "DECLARE", "FETCH", "CLOSE", "SAVEPOINT",
        "RELEASE", "ROLLBACK", "LOCK",
    ]
}
