package import CoreData
internal import Foundation
package import PredicateSyntax

/// The SQL of PostgreSQL, for the tables of a `PostgreSQLSchema`.
///
/// Strings are compared by their bytes, as equality, sort descriptors and `[n]` do. All other comparisons are
/// Foundation's, which servers lack: where a condition on the bytes holds for all matching strings, it becomes part of
/// the statement, and the evaluator filters the rows.
package struct PostgreSQLDialect: SQLDialect {
    /// The schema's name in the database.
    package let namespace: String

    package func name(_ name: String) -> String { PostgreSQLName.quoted(name) }

    package func table(named name: String) -> String {
        "\(PostgreSQLName.quoted(namespace)).\(PostgreSQLName.quoted(name))"
    }

    package let keyColumn = "_pk"

    package let entityColumn = "_entity"

    package func statement(_ fragment: SQLFragment) -> String {
        var number = 0
        return PostgreSQLLiterals.replacingMarks(in: fragment.text) {
            number += 1
            return "$\(number)"
        }
    }

    package func table(_ selection: SQLFragment) -> SQLFragment { "(\(selection)) AS selection" }

    package func range(limit: Int?, offset: Int) -> SQLFragment {
        let start: SQLFragment = offset > 0 ? " OFFSET \(argument: .integer(Int64(offset)))" : ""
        return limit.map { " LIMIT \(argument: .integer(Int64($0)))\(start)" } ?? start
    }

    package func sortTerm(_ value: SQLFragment, isAscending: Bool) -> SQLFragment {
        isAscending ? "\(value) ASC NULLS FIRST" : "\(value) DESC NULLS LAST"
    }

    package func insertingNew(into target: String, _ rows: String) -> String {
        "INSERT INTO \(target) \(rows) ON CONFLICT DO NOTHING"
    }

    package let hasStableOrder = false

    package let limits = SQLLimits(depth: 150, tables: 200, joins: 60, shortList: 16, list: 4096, arguments: 30000)

    // MARK: Constants

    package func constant(_ value: PredicateValue) -> SQLConstant? {
        switch value {
        case .boolean(let flag): return SQLConstant(.boolean(flag), .boolean)
        case .uuid(let uuid): return SQLConstant(.uuid(uuid), .uuid)
        case .decimal(let number):
            return number == .notANumber ? nil : SQLConstant(.decimal(number.stringValue), .decimal)
        case .string(let text):
            // No text in a database contains NUL.
            return text.utf8.contains(0) ? nil : SQLConstant(.text(text), .string)
        default: return SQLConstant(value)
        }
    }

    package func constant(_ answer: Bool) -> SQLFragment { answer ? "TRUE" : "FALSE" }

    package func number(_ flag: SQLFragment) -> SQLFragment { "(\(flag))::integer" }

    package func truth(of condition: SQLFragment) -> SQLFragment { "COALESCE(\(condition), FALSE)" }

    package let sameAs = "IS NOT DISTINCT FROM"

    package let differentFrom = "IS DISTINCT FROM"

    package init(namespace: String) {
        self.namespace = namespace
    }

    package func list(_ values: [SQLArgument]) -> SQLList? {
        let types = Set(values.map(Self.elementType))
        guard types.count == 1, types.first != .some(nil) else { return nil }
        return SQLList(table: "unnest(\(argument: .array(values)))", column: "unnest")
    }

    /// Returns the name of an argument's type as an array element, or `nil` for null and arrays.
    private static func elementType(_ argument: SQLArgument) -> String? {
        switch argument {
        case .null, .array: nil
        case .boolean: "boolean"
        case .integer: "bigint"
        case .real: "double precision"
        case .decimal: "numeric"
        case .text: "text"
        case .uuid: "uuid"
        case .bytes: "bytea"
        }
    }

    // MARK: Text

    package func collation(_ options: ComparisonOptions) -> String? { nil }

    package func collation(_ selector: Selector) -> String? { nil }

    package func accepts(_ selector: Selector) -> Bool { StringCollation.name(selector) != nil }

    /// With `[n]`, a search compares bytes. Without, bytes are decisive if text and pattern are ASCII, where options
    /// can only ignore case. Other strings are left to the evaluator.
    package func search(
        _ text: SQLFragment, for pattern: SQLFragment, kind: StringSearchKind, options: ComparisonOptions
    ) -> TextSearch? {
        let isExact = options.contains(.normalized)
        guard isExact else {
            guard pattern.text == "?", case .text(let constant)? = pattern.arguments.first,
                constant.utf8.allSatisfy({ $0 < 0x80 }), !options.contains(.localeSensitive),
                let found = Self.search(text, for: constant, kind: kind, options: options)
            else { return nil }
            return TextSearch(sql: "(\(found) OR \(text) ~ '[^\\x01-\\x7f]')", isExact: false, isNullable: true)
        }
        let found: SQLFragment
        switch kind {
        case .contains: found = "strpos(\(text), \(pattern)) > 0"
        case .beginsWith: found = "starts_with(\(text), \(pattern))"
        case .endsWith: found = "right(\(text), length(\(pattern))) = \(pattern)"
        case .like, .matches: return nil
        }
        if pattern.text == "?", case .text(let constant)? = pattern.arguments.first, !constant.isEmpty {
            return TextSearch(sql: found, isExact: true, isNullable: true)
        }
        // No text contains the empty one, as in memory.
        return TextSearch(sql: "(\(found) AND \(pattern) <> '')", isExact: true, isNullable: true)
    }

    /// Returns a search in ASCII strings.
    private static func search(
        _ text: SQLFragment, for pattern: String, kind: StringSearchKind, options: ComparisonOptions
    ) -> SQLFragment? {
        var like = ""
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "%", "_": like += "!\(scalar)"
            case "!": like += "!!"
            case "*" where kind == .like: like += "%"
            case "?" where kind == .like: like += "_"
            case "\\" where kind == .like: return nil
            default: like.unicodeScalars.append(scalar)
            }
        }
        switch kind {
        case .contains: like = "%\(like)%"
        case .beginsWith: like += "%"
        case .endsWith: like = "%\(like)"
        case .like: break
        case .matches: return nil
        }
        if options.contains(.caseInsensitive) {
            // The case of ASCII letters does not depend on the collation.
            return "lower(\(text)) LIKE \(argument: .text(like.lowercased())) ESCAPE '!'"
        }
        return "\(text) LIKE \(argument: .text(like)) ESCAPE '!'"
    }

    // MARK: Functions

    package func call(_ selector: String, _ arguments: [(sql: SQLFragment, type: SQLType)]) -> SQLFragment? {
        guard arguments.count == 1 else { return nil }
        let (sql, type) = arguments[0]
        switch (selector, type) {
        case ("abs:", .integer), ("abs:", .number): return "abs((\(sql))::numeric)"
        case ("abs:", .real), ("abs:", .decimal): return "abs(\(sql))"
        default: return nil
        }
    }

    /// Returns an arithmetic expression. Integers are calculated as `numeric`, which has no limit; a real result out of
    /// range makes the server reject the statement, and the fetch is then executed in memory.
    package func arithmetic(
        _ operation: ArithmeticOperator, left: (sql: SQLFragment, type: SQLType),
        right: (sql: SQLFragment, type: SQLType)
    ) -> SQLFragment? {
        let (first, second) = (left.sql, right.sql)
        let areWhole = left.type.isWhole && right.type.isWhole
        let isReal = [left.type, right.type].contains { $0 == .real || $0 == .date }
        switch operation {
        case .add, .subtract, .multiply:
            if isReal { return "(\(real(first)) \(word: operation.symbol) \(real(second)))" }
            return "((\(first))::numeric \(word: operation.symbol) (\(second))::numeric)"
        case .divide:
            if areWhole { return "div((\(first))::numeric, NULLIF((\(second))::numeric, 0))" }
            return isReal ? "(\(real(first)) / NULLIF(\(real(second)), 0))" : nil
        case .power: return nil
        }
    }

    package func real(_ value: SQLFragment) -> SQLFragment { "(\(value))::double precision" }

    package func value(_ value: SQLFragment, ifNull other: SQLFragment) -> SQLFragment {
        "COALESCE(\(value), \(other))"
    }

    package func aggregate(
        _ aggregate: Aggregate, _ value: (sql: SQLFragment, type: SQLType), skipsNull: Bool
    ) -> SQLFragment? {
        // The sum of single-precision numbers would have single precision.
        let sql = value.type == .real ? real(value.sql) : value.sql
        switch aggregate {
        case .sum: return "COALESCE(sum(\(sql)), 0)"
        case .average:
            guard value.type != .decimal else { return nil }
            let count: SQLFragment = skipsNull ? sql : "*"
            return "(sum(\(sql))::double precision / NULLIF(count(\(count)), 0))"
        case .minimum, .maximum:
            // The order of strings is Foundation's, and UUIDs have none.
            guard value.type.isNumber || value.type == .date else { return nil }
            return aggregate == .minimum ? "min(\(sql))" : "max(\(sql))"
        }
    }

    package func exactAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment? {
        aggregate == .sum ? "sum(\(value))" : nil
    }
}
