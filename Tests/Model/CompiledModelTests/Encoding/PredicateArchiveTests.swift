import Diagnostics
import ModelSchema
import PredicateSyntax
import Testing

@testable import CompiledModel

/// Predicates and expressions in archives (Documentation/Formats/CompiledModel.md, 2.7, 2.8).
@Suite struct PredicateArchiveTests {
    private func model(predicate: String?, change: (inout FetchRequestTemplate) -> Void = { _ in }) -> Model {
        var model = Model(name: "M")
        model.entities = [Entity(name: "E")]
        var request = FetchRequestTemplate(name: "R", entityName: "E")
        request.predicate = predicate
        change(&request)
        model.fetchRequests = [request]
        return model
    }

    private func archived(_ predicate: String) throws -> String {
        try ArchiveDump.text(
            try EncodedModel(model(predicate: predicate)).bytes, "NSFetchRequestTemplates", "R", "NSPredicate")
    }

    /// The check of models and the encoder agree about what an archive can hold.
    @Test(arguments: [
        "name == 'x'", "SUBQUERY(a, $x, $x.b[FIRST] == 1).@count > 0", "a[0] == 1", "a[FIRST] == 1", "a[LAST] == 1",
        "a[SIZE] == 1", "TERNARY(a[SIZE] == 1, 1, 2) == 1", "NOT (a == 1 AND b[SIZE] == 2)", "ANYKEY == 1",
        "name BETWEEN {1, 2}", "FUNCTION(a, 'b:', c) == 1", "a IN {1, b[SIZE]}", "TRUEPREDICATE",
        "$x IN a.b", "a UNION b == c", "($x := 1) == 1", "lowercase:(a[LAST]) == 'x'",
    ])
    func uncompilablePartsAreFoundBeforeEncoding(_ text: String) throws {
        let predicate = try PredicateParser.parsePredicate(text)
        var encoder = ExpressionEncoder(KeyedArchiveBuilder(), for: .model)
        _ = encoder.encode(predicate)
        let isUnsupported = encoder.problems.contains { if case .unsupported = $0 { true } else { false } }
        #expect((predicate.firstUncompilablePart != nil) == isUnsupported, "\(encoder.problems)")
    }

    @Test func comparisonMatchesApples() throws {
        let expected = """
            NSComparisonPredicate
              NSLeftExpression -> NSKeyPathExpression
                NSArguments -> NSMutableArray
                  - -> NSKeyPathSpecifierExpression
                    NSExpressionType = 10
                    NSKeyPath -> "name"
                NSExpressionType = 3
                NSOperand -> NSSelfExpression
                  NSExpressionType = 1
                NSSelectorName -> "valueForKey:"
              NSPredicateOperator -> NSEqualityPredicateOperator
                NSModifier = 0
                NSNegate = false
                NSOperatorType = 4
                NSOptions = 0
              NSRightExpression -> NSVariableExpression
                NSExpressionType = 2
                NSVariable -> "NAME"
            """
        #expect(try archived("name = $NAME") == expected)
    }

    @Test func compoundAndDottedKeyPathMatchApples() throws {
        let text = try archived("a.b == 1 OR NOT c > 2.0")
        #expect(text.hasPrefix("NSCompoundPredicate\n  NSCompoundPredicateType = 2\n  NSSubpredicates -> NSArray"))
        #expect(text.contains("NSSelectorName -> \"valueForKeyPath:\""))
        #expect(text.contains("NSKeyPath -> \"a.b\""))
        #expect(text.contains("NSConstantValue -> 1\n"))
        #expect(text.contains("NSCompoundPredicateType = 0"))
        #expect(text.contains("NSConstantValue -> 2.0"))
        #expect(text.contains("NSVariant = 2"))
    }

    @Test(arguments: [
        ("a < 1", "NSComparisonPredicateOperator", 0), ("a <= 1", "NSComparisonPredicateOperator", 1),
        ("a > 1", "NSComparisonPredicateOperator", 2), ("a >= 1", "NSComparisonPredicateOperator", 3),
        ("a == 1", "NSEqualityPredicateOperator", 4), ("a != 1", "NSEqualityPredicateOperator", 5),
        ("a MATCHES 'x'", "NSMatchingPredicateOperator", 6), ("a LIKE 'x'", "NSLikePredicateOperator", 7),
        ("a BEGINSWITH 'x'", "NSSubstringPredicateOperator", 8), ("a ENDSWITH 'x'", "NSSubstringPredicateOperator", 9),
        ("a IN b", "NSInPredicateOperator", 10), ("a CONTAINS 'x'", "NSInPredicateOperator", 99),
        ("a BETWEEN {1, 2}", "NSBetweenPredicateOperator", 100),
    ])
    func operatorsHaveApplesClassesAndNumbers(predicate: String, name: String, number: Int) throws {
        let text = try archived(predicate)
        #expect(text.contains("NSPredicateOperator -> \(name)\n"))
        #expect(text.contains("    NSOperatorType = \(number)"))
    }

    @Test func optionsAndModifiersAreEncoded() throws {
        #expect(try archived("ANY a.b CONTAINS[cd] 'x'").contains("NSFlags = 3\n    NSModifier = 2\n"))
        #expect(try archived("ALL a.b ==[c] 'x'").contains("NSModifier = 1\n    NSNegate = false\n"))
        #expect(try archived("ALL a.b ==[c] 'x'").contains("NSOptions = 1"))
    }

    @Test func constantsAreEncoded() throws {
        #expect(try archived("true == YES").contains("NSConstantValue -> true"))
        #expect(try archived("a == nil").contains("NSConstantValue -> null"))
        #expect(try archived("a == 'text'").contains("NSConstantValue -> \"text\""))
    }

    /// Seen in models from stores.
    @Test func keyPathsOfVariablesAreEncoded() throws {
        let text = try archived("a == $FETCH_SOURCE.books")
        #expect(text.contains("  NSRightExpression -> NSKeyPathExpression\n"))
        #expect(text.contains("    NSExpressionType = 4\n    NSOperand -> NSVariableExpression\n"))
        #expect(text.contains("    NSSelectorName -> \"valueForKeyPath:\""))
    }

    @Test(arguments: [
        ("now()", "now", "NSMutableArray"), ("canonical:(name)", "canonical:", "NSMutableArray"),
        ("pages.@count", "count:", "NSArray"), ("count:(pages)", "count:", "NSMutableArray"),
        ("pages.@sum.price", "sum:", "NSArray"),
    ])
    func derivationsAreEncoded(expression: String, selector: String, arguments: String) throws {
        var model = Model(name: "M")
        var attribute = Attribute(name: "a", type: .string)
        attribute.isDerived = true
        attribute.derivationExpression = expression
        attribute.defaultValue = "ignored"
        model.entities = [Entity(name: "E")]
        model.entities[0].attributes = [attribute]
        let text = try ArchiveDump.text(try EncodedModel(model).bytes, "NSEntities", "E", "NSProperties", "a")
        #expect(text.hasPrefix("NSDerivedAttributeDescription “a”\n"))
        #expect(text.contains("\n  NSDefaultValue -> null"))
        #expect(text.contains("\n  NSFilteringPredicate -> null"))
        #expect(text.contains("\n  NSDerivationExpression -> NSFunctionExpression\n    NSArguments -> \(arguments)\n"))
        #expect(text.contains("\n      NSConstantValueClassName -> \"_NSPredicateUtilities\""))
        #expect(text.contains("\n    NSSelectorName -> \"\(selector)\""))
    }

    static let flags: [(Int, @Sendable (inout FetchRequestTemplate) -> Void)] = [
        (30, { _ in }), (31, { $0.returnsDistinctResults = true }), (14, { $0.resultType = 2 }),
        (26, { $0.resultType = 1 }), (28, { $0.includesSubentities = false }),
        (
            30,
            {
                $0.resultType = 2; $0.includesPendingChanges = true
            }
        ),
    ]

    @Test(arguments: flags)
    func fetchRequestFlagsAreEncoded(flags: Int, change: @Sendable (inout FetchRequestTemplate) -> Void) throws {
        let text = try ArchiveDump.text(
            try EncodedModel(model(predicate: nil, change: change)).bytes, "NSFetchRequestTemplates", "R")
        #expect(text.contains("\n  NSFetchRequestFlags = \(flags)\n"))
        #expect(text.contains("\n  NSHasFetchRequestFlags = true\n"))
        for key in [
            "NSHavingPredicate", "NSPredicate", "NSRelationshipKeyPathsForPrefetching", "NSSortDescriptors",
            "NSValuesToFetch", "NSValuesToGroupBy",
        ] { #expect(text.contains("\n  \(key) -> null")) }
        for key in ["NSAllocationType", "NSBatchSize", "NSFetchLimit", "NSFetchOffset"] {
            #expect(text.contains("\n  \(key) = 0"))
        }
    }

    @Test func invalidPredicatesAreErrors() {
        var broken = model(predicate: "name ==")
        broken.fetchRequests[0].origin = ElementOrigin(index: 5)
        let error = #expect(throws: UncompilableModel.self) { try EncodedModel(broken) }
        #expect(error?.findings.map(\.rule) == [.invalidPredicate])
        #expect(error?.findings.first?.origin == ElementOrigin(index: 5))
        #expect(error?.findings.first?.attribute == "predicateString")
    }

    @Test func missingArgumentsAreErrors() {
        let error = #expect(throws: UncompilableModel.self) { try EncodedModel(model(predicate: "name == %@")) }
        #expect(error?.findings.first?.message.contains("%@") == true)
    }

    @Test func invalidDerivationsAreReportedOnce() {
        var model = Model(name: "M")
        var attribute = Attribute(name: "a", type: .string)
        attribute.isDerived = true
        attribute.derivationExpression = "canonical:("
        model.entities = [Entity(name: "E")]
        model.entities[0].attributes = [attribute]
        let error = #expect(throws: UncompilableModel.self) { try EncodedModel(model) }
        #expect(error?.findings.map(\.rule) == [.invalidDerivation])
    }

    @Test func unverifiedFormsAreWarnings() throws {
        let encoded = try EncodedModel(model(predicate: "SUBQUERY(a, $x, $x.b == 1).@count > 0"))
        #expect(encoded.findings.map(\.rule) == [.unprovenArchiveForm])
        let decoded = try DecodedModel(encoded.bytes, name: "M")
        #expect(decoded.model.fetchRequests.first?.predicate == "SUBQUERY(a, $x, $x.b == 1).@count > 0")
    }
}
