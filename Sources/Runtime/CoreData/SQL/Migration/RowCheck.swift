/// A check that certain rows do not exist.
package struct RowCheck {
    /// The query that counts the rows.
    package var query: SQLFragment
    package var entity: String
    /// The property that the rows' values belong to; `nil` if the rows themselves are the problem.
    package var property: String?
    /// The problem with the rows, which follows their number in the message.
    package var reason: String
    package var help: String
}
