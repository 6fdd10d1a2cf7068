/// Rows, values or links that are dropped.
package struct RowLoss {
    /// The query that counts them.
    var query: SQLFragment
    /// The entity in the old version.
    package var entity: String
    /// The property or the path of an element of a composite attribute; `nil` for rows.
    package var property: String?
}
