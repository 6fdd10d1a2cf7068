internal import Foundation
package import PredicateSyntax

/// The differences between databases in the statements for fetches.
///
/// The translators write standard SQL and use a dialect for the rest. Where a dialect returns `nil`, the database
/// cannot express a part with the evaluator's result, and the evaluator executes it. Tables and columns are those of
/// `EntityMapping` for any database; dates are seconds.
package protocol SQLDialect: Sendable {
    // MARK: Names, values and statements

    /// Returns the name of a table or column as spelled in statements.
    func name(_ name: String) -> String

    /// Returns a table of an `EntityMapping` as spelled in statements.
    func table(named name: String) -> String

    /// The column of the keys of rows.
    var keyColumn: String { get }

    /// The column of the entity numbers of rows.
    var entityColumn: String { get }

    /// Returns a constant in the form in which it is compared with columns, or `nil` if SQL would not compare it as the
    /// evaluator does.
    func constant(_ value: PredicateValue) -> SQLConstant?

    /// Returns a Boolean as the number 1 or 0.
    func number(_ flag: SQLFragment) -> SQLFragment

    /// Returns the result of a condition as a Boolean.
    func truth(of condition: SQLFragment) -> SQLFragment

    /// Returns the text of a statement, with the database's placeholders for its arguments.
    func statement(_ fragment: SQLFragment) -> String

    /// Returns a SELECT as a table of another SELECT.
    func table(_ selection: SQLFragment) -> SQLFragment

    /// Returns the clause that restricts a statement to a range of its rows.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows; `nil` for all.
    ///   - offset: The number of rows to skip.
    func range(limit: Int?, offset: Int) -> SQLFragment

    /// Returns an ORDER BY term that sorts null before all values.
    func sortTerm(_ value: SQLFragment, isAscending: Bool) -> SQLFragment

    /// Whether statements return rows with equal sort values in the same order each time.
    var hasStableOrder: Bool { get }

    /// Returns a statement that inserts rows, except those that would violate a unique index.
    ///
    /// - Parameters:
    ///   - target: The table, with the columns unless it has no others.
    ///   - rows: VALUES or a SELECT.
    func insertingNew(into target: String, _ rows: String) -> String

    /// The limits of a statement.
    var limits: SQLLimits { get }

    // MARK: Conditions

    /// Returns a condition that all rows or none meet.
    func constant(_ answer: Bool) -> SQLFragment

    /// The equality operator for which null equals null.
    var sameAs: String { get }

    /// The opposite of `sameAs`.
    var differentFrom: String { get }

    /// Returns a list of values as a table with one column.
    func list(_ values: [SQLArgument]) -> SQLList?

    // MARK: Text

    /// Returns the name of the collation that orders strings as a comparison with options does.
    func collation(_ options: ComparisonOptions) -> String?

    /// Returns the name of the collation that orders strings as a string method does.
    func collation(_ selector: Selector) -> String?

    /// Returns whether a sort descriptor may use a string method. A method without a collation is left to the
    /// evaluator.
    func accepts(_ selector: Selector) -> Bool

    /// Returns the condition that a string matches a pattern.
    func search(
        _ text: SQLFragment, for pattern: SQLFragment, kind: StringSearchKind, options: ComparisonOptions
    ) -> TextSearch?

    // MARK: Functions

    /// Returns the call of a predefined function.
    func call(_ selector: String, _ arguments: [(sql: SQLFragment, type: SQLType)]) -> SQLFragment?

    /// Returns the result of an operator, if the database calculates it as the evaluator does: a result beyond 64 bits
    /// is real, and dividing an integer by zero yields null.
    func arithmetic(
        _ operation: ArithmeticOperator, left: (sql: SQLFragment, type: SQLType),
        right: (sql: SQLFragment, type: SQLType)
    ) -> SQLFragment?

    /// Returns a number or date as a real number.
    func real(_ value: SQLFragment) -> SQLFragment

    /// Returns a value, or another one in place of null.
    func value(_ value: SQLFragment, ifNull other: SQLFragment) -> SQLFragment

    /// Returns an aggregate of the values of rows.
    ///
    /// - Parameter skipsNull: Whether null is ignored; otherwise it counts as zero in sums and averages.
    func aggregate(
        _ aggregate: Aggregate, _ value: (sql: SQLFragment, type: SQLType), skipsNull: Bool
    ) -> SQLFragment?

    /// Returns a sum or average of decimal numbers with all digits, as text or a decimal number. Null is ignored.
    func exactAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment?
}

extension SQLDialect {
    var hasStableOrder: Bool { true }

    /// Returns a column of a table with an alias.
    package func column(_ column: String, of alias: String) -> SQLFragment { "\(word: alias).\(word: name(column))" }
}

/// The condition that a string matches a pattern.
package struct TextSearch {
    package var sql: SQLFragment
    /// Whether the condition is `true` for no other strings.
    package var isExact = true
    /// Whether the condition may be null.
    package var isNullable = false

    package init(sql: SQLFragment, isExact: Bool = true, isNullable: Bool = false) {
        self.sql = sql
        self.isExact = isExact
        self.isNullable = isNullable
    }
}

/// A list of values as a table.
package struct SQLList {
    /// The content of the FROM clause.
    package var table: SQLFragment
    /// The column with the values.
    package var column: String

    package init(table: SQLFragment, column: String) {
        self.table = table
        self.column = column
    }
}

/// The limits of a statement. Requests beyond them are left to the evaluator.
package struct SQLLimits: Sendable {
    /// The maximum nesting depth of predicates and expressions.
    package var depth: Int
    /// The maximum number of tables in a statement.
    package var tables: Int
    /// The maximum number of tables that a SELECT joins.
    package var joins: Int
    /// The maximum number of list values that are passed individually even if the dialect can pass them as a list.
    package var shortList: Int
    /// The maximum number of list values that are passed individually.
    package var list: Int
    /// The maximum number of arguments in a statement.
    package var arguments: Int

    package init(depth: Int, tables: Int, joins: Int, shortList: Int, list: Int, arguments: Int) {
        self.depth = depth
        self.tables = tables
        self.joins = joins
        self.shortList = shortList
        self.list = list
        self.arguments = arguments
    }
}
