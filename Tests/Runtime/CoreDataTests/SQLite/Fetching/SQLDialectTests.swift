import Foundation
import PredicateSyntax
import TestSupport
import Testing

@testable import CoreData

/// A minimal dialect, to verify that all SQL comes from it.
private struct SampleDialect: SQLDialect {
    func name(_ name: String) -> String { "\"\(name)\"" }

    func table(named name: String) -> String { "\"\(name)\"" }

    let keyColumn = "key"

    let entityColumn = "entity"

    func constant(_ value: PredicateValue) -> SQLConstant? { SQLConstant(value) }

    func number(_ flag: SQLFragment) -> SQLFragment { "NUMBER(\(flag))" }

    func truth(of condition: SQLFragment) -> SQLFragment { "TRUTH(\(condition))" }

    func accepts(_ selector: Selector) -> Bool { false }

    func statement(_ fragment: SQLFragment) -> String {
        var number = 0
        var isName = false
        return fragment.text.reduce(into: "") { text, character in
            if character == "\"" { isName.toggle() }
            guard character == "?", !isName else { return text.append(character) }
            number += 1
            text += "$\(number)"
        }
    }

    func table(_ selection: SQLFragment) -> SQLFragment { "(\(selection)) AS rows" }

    func range(limit: Int?, offset: Int) -> SQLFragment {
        let start: SQLFragment = offset > 0 ? " OFFSET \(number: offset)" : ""
        return limit.map { " LIMIT \(number: $0)\(start)" } ?? start
    }

    func sortTerm(_ value: SQLFragment, isAscending: Bool) -> SQLFragment {
        isAscending ? "\(value) NULLS FIRST" : "\(value) DESC NULLS LAST"
    }

    func insertingNew(into target: String, _ rows: String) -> String {
        "INSERT INTO \(target) \(rows) ON CONFLICT DO NOTHING"
    }

    let limits = SQLLimits(depth: 50, tables: 100, joins: 3, shortList: 1, list: 1, arguments: 100)

    func constant(_ answer: Bool) -> SQLFragment { answer ? "TRUE" : "FALSE" }

    let sameAs = "IS NOT DISTINCT FROM"

    let differentFrom = "IS DISTINCT FROM"

    func list(_ values: [SQLArgument]) -> SQLList? {
        let numbers = values.compactMap { if case .integer(let number) = $0 { String(number) } else { nil } }
        guard numbers.count == values.count else { return nil }
        let text = "{\(numbers.joined(separator: ","))}"
        return SQLList(table: "unnest(\(argument: .text(text))::bigint[]) AS list(item)", column: "item")
    }

    func collation(_ options: ComparisonOptions) -> String? { options == .caseInsensitive ? "\"nocase\"" : nil }

    func collation(_ selector: Selector) -> String? { nil }

    func search(
        _ text: SQLFragment, for pattern: SQLFragment, kind: StringSearchKind, options: ComparisonOptions
    ) -> TextSearch? {
        kind == .contains && options == .normalized ? TextSearch(sql: "strpos(\(text), \(pattern)) > 0") : nil
    }

    func call(_ selector: String, _ arguments: [(sql: SQLFragment, type: SQLType)]) -> SQLFragment? {
        selector == "length:" ? "char_length(\(arguments[0].sql))" : nil
    }

    func arithmetic(
        _ operation: ArithmeticOperator, left: (sql: SQLFragment, type: SQLType),
        right: (sql: SQLFragment, type: SQLType)
    ) -> SQLFragment? { nil }

    func real(_ value: SQLFragment) -> SQLFragment { "CAST(\(value) AS double precision)" }

    func value(_ value: SQLFragment, ifNull other: SQLFragment) -> SQLFragment { "COALESCE(\(value), \(other))" }

    func aggregate(
        _ aggregate: Aggregate, _ value: (sql: SQLFragment, type: SQLType), skipsNull: Bool
    ) -> SQLFragment? {
        switch aggregate {
        case .minimum: "MIN(\(value.sql))"
        case .maximum: "MAX(\(value.sql))"
        case .sum, .average: nil
        }
    }

    func exactAggregate(_ aggregate: Aggregate, _ value: SQLFragment) -> SQLFragment? { nil }
}

/// The translators are independent of the database: everything that differs between databases comes from the dialect.
@Suite struct SQLDialectTests {
    private let model: FetchModel
    private let world: FetchWorld

    init() throws {
        world = try FetchWorld(seed: 3, things: 9)
        let (translator, _) = try world.database()
        let entities = world.coordinator.managedObjectModel.entities
        let schema = try SchemaBuilder.schema(of: entities)
        model = FetchModel(
            mappings: schema.entities, layouts: entities.map { $0.objectLayout() }, dialect: SampleDialect()
        ) {
            translator.model.key($0)
        }
    }

    private func query(_ format: String, _ arguments: [Any] = [], sort: [NSSortDescriptor] = []) throws -> FetchQuery {
        var settings = FetchSettings()
        settings.predicate = NSPredicate(format: format, argumentArray: arguments)
        settings.sortDescriptors = sort
        settings.includesSubentities = true
        return try FetchTranslator(model: model).query(settings, try #require(model.entity(named: "Thing")))
    }

    private func condition(_ format: String, _ arguments: [Any] = []) throws -> String? {
        let query = try query(format, arguments)
        guard query.isFiltered else { return nil }
        return query.condition.map(SampleDialect().statement)
    }

    @Test(arguments: [
        ("whole == 1", "t0.\"ZWHOLE\" = $1"),
        ("whole != 1", "t0.\"ZWHOLE\" IS DISTINCT FROM $1"),
        ("whole == large", "t0.\"ZWHOLE\" IS NOT DISTINCT FROM t0.\"ZLARGE\""),
        ("FALSEPREDICATE", "FALSE"),
        ("name ==[c] 'a'", "t0.\"ZNAME\" = $1 COLLATE \"nocase\""),
        ("name CONTAINS[n] 'a' OR whole == 2", "(strpos(t0.\"ZNAME\", $1) > 0) OR (t0.\"ZWHOLE\" = $2)"),
        ("whole IN {1, 2}", "t0.\"ZWHOLE\" IN (SELECT item FROM unnest($1::bigint[]) AS list(item))"),
    ])
    func keywordsComeFromTheDialect(format: String, expected: String) throws {
        #expect(try condition(format) == expected)
    }

    /// Predicates that a database cannot express are left to the evaluator.
    @Test(arguments: [
        "name ==[cd] 'a'", "name LIKE 'a*'", "whole + 1 == 2", "name IN {'a', 'b'}",
        "owner.boss.boss.boss.boss.name == 'a'",
    ])
    func unsupportedOperationsAreLeftToTheEvaluator(format: String) throws {
        #expect(try condition(format) == nil)
    }

    @Test func rangeAndOrderComeFromTheDialect() throws {
        var query = try query(
            "whole > 1",
            sort: [NSSortDescriptor(key: "whole", ascending: true), NSSortDescriptor(key: "large", ascending: false)])
        query.limit = 5
        query.offset = 7
        let expected =
            "SELECT 1 FROM \"ZTHING\" t0 WHERE t0.\"ZWHOLE\" > $1 "
            + "ORDER BY t0.\"ZWHOLE\" NULLS FIRST, t0.\"ZLARGE\" DESC NULLS LAST LIMIT 5 OFFSET 7"
        #expect(SampleDialect().statement(query.select("1")) == expected)
        #expect(query.count.text.hasSuffix("LIMIT 5 OFFSET 7) AS rows"))
    }

    /// No translator contains anything specific to SQLite.
    @Test func translatorsAreIndependentOfSQLite() throws {
        let folder = Checkout.root.appendingPathComponent("Sources/Runtime/CoreData/SQL")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") }
        #expect(paths.count > 10)
        for path in paths {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined()
            for word in [
                "sqlite", "json_each", "NSCoreData", "IFNULL", "INSERT OR", " LIMIT ", "SQLName", "COLLATE NS",
            ] where word != " LIMIT " || !path.hasPrefix("Migration/") {
                #expect(!code.contains(word), "\(path) has “\(word)”")
            }
        }
    }
}
