import PredicateSyntax
import Testing

@Suite struct PrintingTests {
    /// A text that prints as itself, and the source of Apple's form.
    struct Fixed: Sendable, CustomTestStringConvertible {
        let text: String
        let source: Source
        init(_ text: String, _ source: Source) {
            self.text = text
            self.source = source
        }
        var testDescription: String { text }
    }

    /// A text, Apple's form of it, and the source.
    struct Changed: Sendable, CustomTestStringConvertible {
        let text: String
        let printed: String
        let source: Source
        init(_ text: String, _ printed: String, _ source: Source) {
            self.text = text
            self.printed = printed
            self.source = source
        }
        var testDescription: String { text }
    }

    static let fixedPredicates: [Fixed] = [
        Fixed("a == 1 AND (b == 2 OR c == 3)", .brief),
        Fixed("(a == 1 AND b == 2) OR c == 3", .brief),
        Fixed("NOT a == 1", .brief),
        Fixed("NOT (a == 1 AND b == 2)", .brief),
        Fixed("ANY x.y == 1", .brief),
        Fixed("name CONTAINS[cd] \"x\"", .brief),
        Fixed("age BETWEEN {1, 10}", .brief),
        Fixed("x IN {\"a\", \"b\"}", .brief),
        Fixed("SUBQUERY(items, $x, $x.price > 3).@count > 0", .brief),
        Fixed("a == nil", .brief),
        Fixed("TRUEPREDICATE", .formatSyntax),
        Fixed("FALSEPREDICATE", .formatSyntax),
        Fixed("a == 1 AND b == 2 AND c == 3", .brief),
        Fixed("a == 1 AND (NOT b == 2)", .ownChoice),
        Fixed("a + b > 3", .ownChoice),
        Fixed("(a == 1) == b", .ownChoice),
        Fixed("name BEGINSWITH[n] \"x\"", .runtimeSpec),
        Fixed("booleanAttribute == 1 AND floatAttribute > 5", .vocabulary),
        Fixed("ALL x.y < 1", .formatSyntax),
        Fixed("#in == 1", .brief),
        Fixed("SELF.a LIKE \"x*\"", .ownChoice),
    ]

    @Test(arguments: fixedPredicates)
    func predicatePrintsUnchanged(_ example: Fixed) throws {
        #expect(try PredicateParser.parsePredicate(example.text).predicateFormat == example.text, "\(example.source)")
    }

    static let changedPredicates: [Changed] = [
        Changed("a = TRUE", "a == 1", .brief),
        Changed("a == no", "a == 0", .brief),
        Changed("a <> NULL && !b =< 2", "a != nil AND (NOT b <= 2)", .brief),
        Changed("NONE x.y == 1", "NOT ANY x.y == 1", .brief),
        Changed("some x.y == 1", "ANY x.y == 1", .formatSyntax),
        Changed("name like[dc] 'it\\'s'", "name LIKE[cd] \"it's\"", .brief),
        Changed("((a == (1)))", "a == 1", .brief),
        Changed("a == 'say \"x\" \\\\'", "a == \"say \\\"x\\\" \\\\\"", .formatSyntax),
        Changed("a == 0x10", "a == 16", .formatSyntax),
        Changed("a == 3.0", "a == 3", .numberReference),
        Changed("a == 1.50", "a == 1.5", .numberReference),
        Changed("a == 0.1", "a == 0.1", .numberReference),
        Changed("a == 1e15", "a == 1000000000000000", .numberReference),
        Changed("a == 1e16", "a == 1e+16", .numberReference),
        Changed("a == 0.0001", "a == 0.0001", .numberReference),
        Changed("a == 0.00001234", "a == 1.234e-05", .numberReference),
        Changed("a == -1234567.25", "a == -1234567.25", .numberReference),
        Changed("a == 1e300", "a == 1e+300", .numberReference),
        Changed("a == 0.0", "a == 0", .numberReference),
    ]

    @Test(arguments: changedPredicates)
    func predicateIsNormalized(_ example: Changed) throws {
        #expect(
            try PredicateParser.parsePredicate(example.text).predicateFormat == example.printed, "\(example.source)")
    }

    /// `%0.16g` would drop a digit that the value needs; parsing the text must give the same value.
    @Test func realsKeepTheirValue() throws {
        for value in [0.1 + 0.2, 123456789.123456789, 1 / 3.0, 9_007_199_254_740_992, 1.2345678901234567e22] {
            let text = Expression.constant(.real(value)).predicateFormat
            #expect(Double(text) == value, "\(text)")
        }
    }

    static let fixedExpressions: [Fixed] = [
        Fixed("count:(oneToMany)", .compiledModel),
        Fixed("canonical:(optionalString)", .compiledModel),
        Fixed("now()", .compiledModel),
        Fixed("uppercase:(title)", .vocabulary),
        Fixed("photos.@count", .vocabulary),
        Fixed("a.@sum.b", .formatSyntax),
        Fixed("CAST(a, \"NSDate\")", .classReference),
        Fixed("TERNARY(a == 1, b, c)", .classReference),
        Fixed(
            "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"A\", \"TRUEPREDICATE\"), "
                + "$manager.sourceContext, NO)", .ownChoice),
        Fixed("FUNCTION(a, \"lowercaseString\")", .ownChoice),
        Fixed("a[0].b[FIRST]", .formatSyntax),
        Fixed("a[\"key\"]", .formatSyntax),
        Fixed("a UNION b", .classReference),
        Fixed("a INTERSECT (b MINUS c)", .classReference),
        Fixed("$x := a + 1", .brief),
        Fixed("modulus:by:(a, 2)", .classReference),
        Fixed("(a + b) * c", .formatSyntax),
        Fixed("a + b * c", .ownChoice),
        Fixed("a - (b - c)", .formatSyntax),
        Fixed("a - b - c", .ownChoice),
        Fixed("a ** (b ** c)", .ownChoice),
        Fixed("(a ** b) ** c", .ownChoice),
        Fixed("(a + b).c", .ownChoice),
        Fixed("{}", .formatSyntax),
        Fixed("{1, {2, \"x\"}, $y}", .formatSyntax),
    ]

    @Test(arguments: fixedExpressions)
    func expressionPrintsUnchanged(_ example: Fixed) throws {
        #expect(try PredicateParser.parseExpression(example.text).predicateFormat == example.text, "\(example.source)")
    }

    static let changedExpressions: [Changed] = [
        Changed("sum(a)", "sum:(a)", .formatSyntax),
        Changed("add:to:(a, 2)", "a + 2", .brief),
        Changed("from:subtract:(a, add:to:(b, c))", "a - (b + c)", .brief),
        Changed("raise:toPower:(a, 2)", "a ** 2", .brief),
        Changed("-a", "0 - a", .ownChoice),
        Changed("a.size", "a.#size", .brief),
        Changed("a.Union", "a.Union", .ownChoice),
        Changed("\"a\nb\u{1}\"", "\"a\\nb\\u0001\"", .ownChoice),
    ]

    @Test(arguments: changedExpressions)
    func expressionIsNormalized(_ example: Changed) throws {
        #expect(
            try PredicateParser.parseExpression(example.text).predicateFormat == example.printed, "\(example.source)")
    }

    @Test func typedStyleTellsTheKindsOfNumbersApart() {
        let printer = PredicatePrinter(numberStyle: .typed)
        let values: [Constant] = [.boolean(true), .boolean(false), .integer(1), .real(1), .real(-0.5), .real(1e20)]
        #expect(
            printer.string(for: .aggregate(values.map { .constant($0) })) == "{TRUE, FALSE, 1, 1.0, -0.5, 1e+20}")
    }

    /// Apple's documentation of NSCompoundPredicate: an empty AND is true, an empty OR is false.
    @Test func emptyCompoundsPrintTheirValue() {
        #expect(Predicate.and([]).predicateFormat == "TRUEPREDICATE")
        #expect(Predicate.or([]).predicateFormat == "FALSEPREDICATE")
    }

    @Test func valuesWithoutTextAreDescribedByTheCaller() {
        let date = Expression.constant(.opaque(OpaqueValue(index: 0)))
        let tree = Predicate.and([
            .compare(.a, using: .greaterThan, right: date), .block(OpaqueValue(index: 1)),
            .compare(.a, using: .customSelector("isLike:"), right: .block(OpaqueValue(index: 2), arguments: [.b])),
        ])
        let texts = ["CAST(431827200.000000, \"NSDate\")", "0x1", "0x2"]
        let printer = PredicatePrinter { texts[$0.index] }
        #expect(
            printer.string(for: tree)
                == "a > CAST(431827200.000000, \"NSDate\") AND BLOCKPREDICATE(0x1) AND a isLike: BLOCK(0x2, b)")
        #expect(date.predicateFormat == "<value 0>")
    }
}
