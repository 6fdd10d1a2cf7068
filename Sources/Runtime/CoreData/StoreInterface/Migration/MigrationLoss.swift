/// Rows, values or links that an inferred migration drops.
package struct MigrationLoss: Hashable, Sendable {
    /// The entity in the old version.
    package var entity: String
    /// The property, or the path of an element of a composite attribute; `nil` for rows.
    package var property: String?
    /// The number of rows, values or links.
    package var count: Int
}
