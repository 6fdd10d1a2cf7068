internal import Foundation
internal import PredicateSyntax

/// The functions and collations of displayed statements, which the `sqlite3` program has. They know the case of ASCII
/// letters only, and no accents.
extension SQLiteDialect {
    func displayedCollation(_ options: ComparisonOptions) -> String {
        options.contains(.caseInsensitive) ? "NOCASE" : "BINARY"
    }

    /// Returns the collation for a sort descriptor's method.
    func displayedCollation(_ selector: Selector) -> String? {
        guard accepts(selector) else { return nil }
        return [.localizedCompare].contains(selector) ? "BINARY" : "NOCASE"
    }

    func displayedSearch(
        _ text: SQLFragment, for pattern: SQLFragment, kind: StringSearchKind, options: ComparisonOptions
    ) -> TextSearch {
        var (text, pattern) = (text, pattern)
        if options.contains(.caseInsensitive) { (text, pattern) = ("lower(\(text))", "lower(\(pattern))") }
        let sql: SQLFragment =
            switch kind {
            case .contains: "instr(\(text), \(pattern)) > 0"
            case .beginsWith: "substr(\(text), 1, length(\(pattern))) = \(pattern)"
            case .endsWith: "substr(\(text), length(\(text)) - length(\(pattern)) + 1) = \(pattern)"
            case .like: "\(text) GLOB \(pattern)"
            case .matches: "\(text) REGEXP '^(' || \(pattern) || ')$'"
            }
        return TextSearch(sql: "IFNULL(\(sql), 0)")
    }

    /// Returns the call of a function that SQLite has; `nil` for one that it does not have.
    func displayedCall(_ selector: String, _ arguments: [SQLFragment]) -> SQLFragment? {
        let functions = [
            "uppercase:": "upper", "lowercase:": "lower", "canonical:": "lower", "length:": "length", "abs:": "abs",
            "floor:": "floor", "ceiling:": "ceil", "trunc:": "trunc", "sqrt:": "sqrt", "exp:": "exp", "ln:": "ln",
            "log:": "log10",
        ]
        let operators = [
            "add:to:": "+", "multiply:by:": "*", "divide:by:": "/", "modulus:by:": "%", "from:subtract:": "-",
        ]
        if arguments.count == 1, let function = functions[selector] { return "\(word: function)(\(arguments[0]))" }
        if arguments.count == 2, let symbol = operators[selector] {
            return "(\(arguments[0]) \(word: symbol) \(arguments[1]))"
        }
        return nil
    }

    func displayedAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment {
        aggregate == .sum ? "IFNULL(SUM(\(value)), 0)" : "AVG(\(value))"
    }

    func displayedList(_ values: [SQLArgument]) -> SQLList? {
        if let plain = JSONList.text(values) {
            return SQLList(table: "json_each(\(argument: .text(plain)))", column: "value")
        }
        guard !values.isEmpty else { return nil }
        return SQLList(
            table: "(VALUES \(SQLFragment.joined(values.map { "(\(argument: $0))" }, ", ")))", column: "column1")
    }
}
