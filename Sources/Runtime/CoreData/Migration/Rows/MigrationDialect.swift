internal import Foundation

/// What differs between the databases in which migrations move rows.
protocol MigrationDialect: Sendable {
    var sql: any SQLDialect { get }
    /// The column that counts the saves of a row.
    var versionColumn: String { get }
    /// The number of columns at the beginning of every table of rows that belong to no property.
    var reservedColumnCount: Int { get }

    /// Returns a key by which names of tables and columns are compared.
    func identity(_ name: String) -> String

    /// Returns whether the values of a column already have the type of the new version.
    func isConverted(_ column: String, in table: String) -> Bool

    /// Returns the value of a column, converted to another type of attribute or kind of storage.
    func conversion(_ column: SQLFragment, old: NSAttributeDescription, new: NSAttributeDescription) -> SQLFragment

    /// Returns the condition that finds values of an old column that do not fit the type of the new version, or `nil`
    /// if all fit.
    func misfits(_ column: SQLFragment, old: NSAttributeType, new: NSAttributeType) -> SQLFragment?

    /// Returns a default value in the form stored in columns, or `nil` if there is none.
    func argument(_ value: SlotValue, of attribute: NSAttributeDescription) -> SQLArgument?
}
