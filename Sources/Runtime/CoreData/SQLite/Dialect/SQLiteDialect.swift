internal import Foundation
internal import PredicateSyntax

/// The SQL of SQLite, with the functions and collations that `SQLFunctions` registers.
struct SQLiteDialect: SQLDialect {
    /// Whether statements are for display, and use SQLite's own functions as far as there are similar ones.
    var isForDisplay = false

    func name(_ name: String) -> String { SQLName.quoted(name) }

    func table(named name: String) -> String { SQLName.quoted(name) }

    let keyColumn = "Z_PK"

    let entityColumn = "Z_ENT"

    func constant(_ value: PredicateValue) -> SQLConstant? { SQLConstant(value) }

    func number(_ flag: SQLFragment) -> SQLFragment { flag }

    func truth(of condition: SQLFragment) -> SQLFragment { "CASE WHEN \(condition) THEN 1 ELSE 0 END" }

    func statement(_ fragment: SQLFragment) -> String { fragment.text }

    func table(_ selection: SQLFragment) -> SQLFragment { "(\(selection))" }

    func range(limit: Int?, offset: Int) -> SQLFragment {
        let most = Int64(limit ?? -1)
        if offset <= 0 { return " LIMIT \(argument: .integer(most))" }
        return " LIMIT \(argument: .integer(most)) OFFSET \(argument: .integer(Int64(offset)))"
    }

    func sortTerm(_ value: SQLFragment, isAscending: Bool) -> SQLFragment {
        isAscending ? value : "\(value) DESC"
    }

    func insertingNew(into target: String, _ rows: String) -> String { "INSERT OR IGNORE INTO \(target) \(rows)" }

    /// SQLite nests up to 1000 expressions and joins up to 64 tables. With more values, compiling a statement takes
    /// longer than evaluation in memory, because SQLite compares each value with all others.
    let limits = SQLLimits(depth: 150, tables: 200, joins: 60, shortList: 256, list: 4096, arguments: 5000)

    // MARK: Conditions

    func constant(_ answer: Bool) -> SQLFragment { answer ? "1" : "0" }

    let sameAs = "IS"

    let differentFrom = "IS NOT"

    func list(_ values: [SQLArgument]) -> SQLList? {
        if isForDisplay { return displayedList(values) }
        if let plain = JSONList.text(values) {
            return SQLList(table: "json_each(\(argument: .text(plain)))", column: "value")
        }
        return JSONList.codedText(values).map {
            SQLList(table: "json_each(\(argument: .text($0)))", column: "\(JSONList.decoder)(value)")
        }
    }

    // MARK: Text

    func collation(_ options: ComparisonOptions) -> String? {
        isForDisplay ? displayedCollation(options) : StringCollation.name(options)
    }

    func collation(_ selector: Selector) -> String? {
        isForDisplay ? displayedCollation(selector) : StringCollation.name(selector)
    }

    func accepts(_ selector: Selector) -> Bool { StringCollation.name(selector) != nil }

    func search(
        _ text: SQLFragment, for pattern: SQLFragment, kind: StringSearchKind, options: ComparisonOptions
    ) -> TextSearch? {
        if isForDisplay { return displayedSearch(text, for: pattern, kind: kind, options: options) }
        return TextSearch(
            sql:
                "NSCoreDataStringSearch(\(text), \(pattern), \(number: kind.rawValue), \(number: Int(options.rawValue)))"
        )
    }

    // MARK: Functions

    func call(_ selector: String, _ arguments: [(sql: SQLFragment, type: SQLType)]) -> SQLFragment? {
        if isForDisplay, let call = displayedCall(selector, arguments.map(\.sql)) { return call }
        let codes = arguments.map(\.type.code).joined()
        let list = SQLFragment.joined(arguments.map(\.sql), ", ")
        return "NSCoreDataFunction('\(word: selector)', '\(word: codes)', \(list))"
    }

    func arithmetic(
        _ operation: ArithmeticOperator, left: (sql: SQLFragment, type: SQLType),
        right: (sql: SQLFragment, type: SQLType)
    ) -> SQLFragment? {
        "(\(left.sql) \(word: operation.symbol) \(right.sql))"
    }

    func real(_ value: SQLFragment) -> SQLFragment { "CAST(\(value) AS REAL)" }

    func value(_ value: SQLFragment, ifNull other: SQLFragment) -> SQLFragment { "IFNULL(\(value), \(other))" }

    /// Returns an aggregate. SQLite's own sums and averages fail on integer overflow, and do not support decimals.
    func aggregate(
        _ aggregate: Aggregate, _ value: (sql: SQLFragment, type: SQLType), skipsNull: Bool
    ) -> SQLFragment? {
        let (sql, type) = value
        let collation: SQLFragment =
            type == .string ? self.collation([]).map { " COLLATE \(word: $0)" } ?? "" : ""
        let filter: SQLFragment = skipsNull ? Self.filter(sql) : ""
        if isForDisplay, aggregate == .sum || aggregate == .average {
            return displayedAggregate(aggregate, skipsNull ? sql : self.value(sql, ifNull: "0"))
        }
        return switch aggregate {
        case .sum: "NSCoreDataSum('\(word: type.code)', \(sql))\(filter)"
        case .average: "NSCoreDataAverage('\(word: type.code)', \(sql))\(filter)"
        case .minimum: "MIN(\(sql)\(collation))"
        case .maximum: "MAX(\(sql)\(collation))"
        }
    }

    func exactAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment? {
        if isForDisplay, aggregate == .sum || aggregate == .average { return displayedAggregate(aggregate, value) }
        return switch aggregate {
        case .sum: "NSCoreDataSum('D', \(value))\(Self.filter(value))"
        case .average: "NSCoreDataAverage('D', \(value))\(Self.filter(value))"
        case .minimum, .maximum: nil
        }
    }

    private static func filter(_ value: SQLFragment) -> SQLFragment { " FILTER (WHERE \(value) IS NOT NULL)" }
}

extension FetchModel {
    /// Returns the same entities for statements that are displayed.
    var forDisplay: FetchModel { with(SQLiteDialect(isForDisplay: true)) }

    /// Creates the entities of a SQLite store.
    convenience init(_ schema: StoreSchema, _ layouts: [EntityLayout], key: @escaping (NSManagedObjectID) -> Int64?) {
        self.init(mappings: schema.entities, layouts: layouts, dialect: SQLiteDialect(), key: key)
    }
}

extension SQLFragment.Parts {
    /// Appends the name of a table or column in a statement that only SQLite runs.
    mutating func appendInterpolation(name: String) { appendInterpolation(word: SQLName.quoted(name)) }
}
