internal import Foundation
internal import PredicateSyntax

/// What differs between databases in the statements that fetches become.
///
/// The translators write standard SQL and ask a dialect for the rest. Where a dialect answers `nil`, the database has no way to
/// say it with the evaluator's answer, and the evaluator does that part. Tables and columns are those of `EntityMapping`,
/// whatever the database; dates are seconds.
protocol SQLDialect: Sendable {
    // MARK: Names, values and statements

    /// Returns a name of a table or column as it stands in a statement.
    func name(_ name: String) -> String

    /// Returns a table of an `EntityMapping` as it stands in a statement.
    func table(named name: String) -> String

    /// The column of the keys of rows.
    var keyColumn: String { get }

    /// The column of the numbers of rows' entities.
    var entityColumn: String { get }

    /// Returns a constant as it is compared with columns; `nil` where SQL would not compare it as the evaluator does.
    func constant(_ value: PredicateValue) -> SQLConstant?

    /// Returns a boolean as the number 1 or 0.
    func number(_ flag: SQLFragment) -> SQLFragment

    /// Returns the answer of a condition as a boolean.
    func truth(of condition: SQLFragment) -> SQLFragment

    /// Returns the text of a statement, with the database's marks for its arguments.
    func statement(_ fragment: SQLFragment) -> String

    /// Returns a SELECT as a table of another SELECT.
    func table(_ selection: SQLFragment) -> SQLFragment

    /// Returns what ends a statement that gives a part of its rows.
    ///
    /// - Parameters:
    ///   - limit: The most rows, or `nil` for all.
    ///   - offset: How many rows are left out.
    func range(limit: Int?, offset: Int) -> SQLFragment

    /// Returns a term of ORDER BY under which null comes before all values.
    func sortTerm(_ value: SQLFragment, isAscending: Bool) -> SQLFragment

    /// Returns a statement that inserts rows, except those that would break a unique index.
    ///
    /// - Parameters:
    ///   - target: The table, with the columns if there are others.
    ///   - rows: VALUES or a SELECT.
    func insertingNew(into target: String, _ rows: String) -> String

    /// What a statement may have.
    var limits: SQLLimits { get }

    // MARK: Conditions

    /// Returns a condition that all rows or no row meet.
    func constant(_ answer: Bool) -> SQLFragment

    /// The operator of equality to which null equals null.
    var sameAs: String { get }

    /// The opposite of `sameAs`.
    var differentFrom: String { get }

    /// Returns many values as a table with one column.
    func list(_ values: [SQLArgument]) -> SQLList?

    // MARK: Text

    /// Returns the name of the collation that orders texts as a comparison with options does.
    func collation(_ options: ComparisonOptions) -> String?

    /// Returns the name of the collation that orders texts as a method of strings does.
    func collation(_ selector: Selector) -> String?

    /// Returns whether a sort descriptor may name a method of strings. One without a collation is left to the
    /// evaluator.
    func accepts(_ selector: Selector) -> Bool

    /// Returns the condition that a text has a pattern.
    func search(
        _ text: SQLFragment, for pattern: SQLFragment, _ kind: StringSearchKind, _ options: ComparisonOptions
    ) -> TextSearch?

    // MARK: Functions

    /// Returns the call of a function of the predicate language.
    func call(_ selector: String, _ arguments: [(sql: SQLFragment, type: SQLType)]) -> SQLFragment?

    /// Returns the result of an operator, if the database calculates it as the evaluator does: a result above 64 bits is real,
    /// and dividing an integer by zero gives null.
    func arithmetic(
        _ operation: ArithmeticOperator, _ left: (sql: SQLFragment, type: SQLType),
        _ right: (sql: SQLFragment, type: SQLType)
    ) -> SQLFragment?

    /// Returns a number or date as a real number.
    func real(_ value: SQLFragment) -> SQLFragment

    /// Returns a value, or another one in the place of null.
    func value(_ value: SQLFragment, ifNull other: SQLFragment) -> SQLFragment

    /// Returns what is made of the values of many rows.
    ///
    /// - Parameter skipsNull: Whether null counts not at all; otherwise it is a zero of a sum or average.
    func aggregate(
        _ aggregate: Aggregate, _ value: (sql: SQLFragment, type: SQLType), skipsNull: Bool
    ) -> SQLFragment?

    /// Returns a sum or average of decimal numbers with all digits, as a text or a decimal number. Null does not count.
    func exactAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment?
}

extension SQLDialect {
    /// Returns a column of a table that has an alias.
    func column(_ column: String, of alias: String) -> SQLFragment { "\(word: alias).\(word: name(column))" }
}

/// The condition that a text has a pattern.
struct TextSearch {
    var sql: SQLFragment
    /// Whether it holds for no other texts.
    var isExact = true
    /// Whether it may be null.
    var isNullable = false
}

/// Many values as a table.
struct SQLList {
    /// The FROM clause's content.
    var table: SQLFragment
    /// The column with the values.
    var column: String
}

/// What a statement may have. What has more is left to the evaluator.
struct SQLLimits: Sendable {
    /// How deep predicates and expressions nest.
    var depth: Int
    /// The tables of a whole statement.
    var tables: Int
    /// The tables that one SELECT joins.
    var joins: Int
    /// The values of a list that go in one by one although the dialect can pass them at once.
    var shortList: Int
    /// The values of a list that go in one by one.
    var list: Int
    /// The values of a whole statement.
    var arguments: Int
}
