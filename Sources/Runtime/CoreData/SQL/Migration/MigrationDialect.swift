internal import Foundation

/// What differs between the databases in which migrations move rows.
package protocol MigrationDialect: Sendable {
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

    /// Returns a number of an old column without its fraction, as it is converted to an integer; `nil` if all values of
    /// the old type fit every type of integer.
    func integer(_ column: SQLFragment, old: NSAttributeType) -> SQLFragment?

    /// Returns a default value in the form stored in columns, or `nil` if there is none.
    func argument(_ value: SlotValue, of attribute: NSAttributeDescription) -> SQLArgument?
}

extension MigrationDialect {
    /// Returns the condition that finds values of an old column that do not fit the type of the new version, or `nil`
    /// if all fit.
    func misfits(_ column: SQLFragment, old: NSAttributeType, new: NSAttributeType) -> SQLFragment? {
        guard old != new else { return nil }
        if let range = new.integerRange {
            guard let integer = integer(column, old: old) else { return nil }
            if let known = old.integerRange, range.contains(known.lowerBound), range.contains(known.upperBound) {
                return nil
            }
            if new == .integer64AttributeType {
                return "\(column) NOT BETWEEN -9223372036854775808.0 AND 9223372036854774784.0"
            }
            let (least, most) = (SQLArgument.integer(range.lowerBound), SQLArgument.integer(range.upperBound))
            return "\(integer) NOT BETWEEN \(argument: least) AND \(argument: most)"
        }
        if new == .floatAttributeType, old == .doubleAttributeType {
            return "abs(\(column)) > \(argument: .real(Double(Float.greatestFiniteMagnitude)))"
        }
        return nil
    }
}
