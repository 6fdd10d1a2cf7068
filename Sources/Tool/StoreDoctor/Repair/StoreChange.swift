package import CoreData
package import Diagnostics

/// A change that a repair makes.
package struct StoreChange: Sendable {
    /// The kind of change.
    package enum Kind: String, Sendable {
        /// A value has changed.
        case changed
        /// A row was deleted.
        case deleted
        /// A row was inserted.
        case inserted
        /// A table, column, index or trigger was created.
        case schema
        /// An external file that no row refers to was set aside.
        case moved
    }

    /// The kind of change.
    package var kind: Kind
    /// The rule whose finding is repaired.
    package var rule: RuleID
    /// The URI of the object; `nil` for rows that are no objects, and for the schema.
    package var uri: String?
    /// The object as `Entity/key`, the row as `TABLE/rowid`, the statement that changes the schema, or the name of the
    /// file.
    package var object: String
    /// The property; `nil` for a column of no property.
    package var property: String?
    /// The column; `nil` for whole rows.
    package var column: String?
    /// The value before the change.
    package var old: StoreContents.Value
    /// The value after the change.
    package var new: StoreContents.Value
}
