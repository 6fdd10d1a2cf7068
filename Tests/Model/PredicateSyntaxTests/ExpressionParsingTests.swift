import PredicateSyntax
import Testing

@Suite struct ExpressionParsingTests {
    @Test(arguments: literals + keyPaths + functions + arithmetic + collections)
    func expressionsBecomeTheirTrees(_ example: ExpressionCase) throws {
        #expect(try PredicateParser.parseExpression(example.text) == example.tree, "\(example.source)")
    }

    static let literals: [ExpressionCase] = [
        ExpressionCase("0", .integer(0), .formatSyntax),
        ExpressionCase("007", .integer(7), .ownChoice),
        ExpressionCase("-5", .integer(-5), .formatSyntax),
        ExpressionCase("- 5", .integer(-5), .ownChoice),
        ExpressionCase("0x1Fa", .integer(0x1FA), .formatSyntax),
        ExpressionCase("0o17", .integer(15), .formatSyntax),
        ExpressionCase("0B101", .integer(5), .formatSyntax),
        ExpressionCase("-0x10", .integer(-16), .formatSyntax),
        ExpressionCase("9223372036854775807", .integer(.max), .brief),
        ExpressionCase("-9223372036854775808", .integer(.min), .brief),
        ExpressionCase("-0x8000000000000000", .integer(.min), .brief),
        ExpressionCase("9223372036854775808", .constant(.real(9_223_372_036_854_775_808)), .brief),
        ExpressionCase("100000000000000000000", .constant(.real(1e20)), .brief),
        ExpressionCase("1.5", .constant(.real(1.5)), .formatSyntax),
        ExpressionCase(".5", .constant(.real(0.5)), .formatSyntax),
        ExpressionCase("3.0", .constant(.real(3)), .formatSyntax),
        ExpressionCase("1e3", .constant(.real(1000)), .formatSyntax),
        ExpressionCase("-1.5E-3", .constant(.real(-0.0015)), .formatSyntax),
        ExpressionCase("2e+2", .constant(.real(200)), .formatSyntax),
        ExpressionCase("1e-999", .constant(.real(0)), .ownChoice),
        ExpressionCase("''", .string(""), .formatSyntax),
        ExpressionCase(#""a'b""#, .string("a'b"), .formatSyntax),
        ExpressionCase(#"'a"b'"#, .string("a\"b"), .formatSyntax),
        ExpressionCase(#"'a\'b\"c\\d'"#, .string(#"a'b"c\d"#), .formatSyntax),
        ExpressionCase(#""\n\t\r""#, .string("\n\t\r"), .brief),
        ExpressionCase(#""\u0041\u00e9""#, .string("A\u{E9}"), .brief),
        ExpressionCase(#""\uD83D\uDE00!""#, .string("\u{1F600}!"), .ownChoice),
        ExpressionCase(#""\U0001F600""#, .string("\u{1F600}"), .ownChoice),
        ExpressionCase(#""\d\é""#, .string("dé"), .ownChoice),
        ExpressionCase("\"two\nlines %@ $x\"", .string("two\nlines %@ $x"), .formatSyntax),
        ExpressionCase("\"日本\"", .string("日本"), .formatSyntax),
        ExpressionCase("yes", .constant(.boolean(true)), .formatSyntax),
        ExpressionCase("NO", .constant(.boolean(false)), .formatSyntax),
        ExpressionCase("NiL", .constant(.null), .formatSyntax),
        ExpressionCase("$name", .variable("name"), .formatSyntax),
        ExpressionCase("$FETCH_SOURCE", .variable("FETCH_SOURCE"), .runtimeSpec),
        ExpressionCase("$in", .variable("in"), .ownChoice),
        ExpressionCase("{}", .aggregate([]), .formatSyntax),
        ExpressionCase("{ 'a' , {1}, b }", .aggregate([.string("a"), .aggregate([.one]), .b]), .formatSyntax),
        ExpressionCase("a == 1", .predicate(.isA), .brief),
    ]

    static let keyPaths: [ExpressionCase] = [
        ExpressionCase("a.b", .key("a.b"), .formatSyntax),
        ExpressionCase("a . b", .key("a.b"), .ownChoice),
        ExpressionCase("SELF", .evaluatedObject, .formatSyntax),
        ExpressionCase("self.a.b", .keyPath(KeyPathExpression("a.b", of: .evaluatedObject)), .formatSyntax),
        ExpressionCase("$x.a.b", .keyPath(KeyPathExpression("a.b", of: .variable("x"))), .formatSyntax),
        ExpressionCase("größe.東京", .key("größe.東京"), .ownChoice),
        ExpressionCase("_a1", .key("_a1"), .formatSyntax),
        ExpressionCase("#in", .key("in"), .formatSyntax),
        ExpressionCase("#SELF.#and.b", .key("SELF.and.b"), .formatSyntax),
        ExpressionCase("a.in.self", .key("a.in.self"), .ownChoice),
        ExpressionCase("size", .key("size"), .ownChoice),
        ExpressionCase("Function.cast", .key("Function.cast"), .ownChoice),
        ExpressionCase("@count", .key("@count"), .brief),
        ExpressionCase("items.@count", .key("items.@count"), .formatSyntax),
        ExpressionCase("a.@sum.b.c", .key("a.@sum.b.c"), .brief),
        ExpressionCase("a.@distinctUnionOfObjects.b.@count", .key("a.@distinctUnionOfObjects.b.@count"), .brief),
        ExpressionCase("SELF.@avg.a", .keyPath(KeyPathExpression("@avg.a", of: .evaluatedObject)), .brief),
        ExpressionCase("(a.b).c", .key("a.b.c"), .ownChoice),
        ExpressionCase(
            "(a + b).c", .keyPath(KeyPathExpression("c", of: .infix(.a, .add, .b))), .brief),
        ExpressionCase("{1}.@count", .keyPath(KeyPathExpression("@count", of: .aggregate([.one]))), .brief),
        ExpressionCase("'abc'.length", .keyPath(KeyPathExpression("length", of: .string("abc"))), .brief),
        ExpressionCase("-5.a", .keyPath(KeyPathExpression("a", of: .integer(-5))), .ownChoice),
        ExpressionCase("a[0]", .element(of: .a, at: .expression(.integer(0))), .formatSyntax),
        ExpressionCase("a [ first ]", .element(of: .a, at: .first), .formatSyntax),
        ExpressionCase("a[LAST]", .element(of: .a, at: .last), .formatSyntax),
        ExpressionCase("a[Size]", .element(of: .a, at: .size), .formatSyntax),
        ExpressionCase("a[\"key\"]", .element(of: .a, at: .expression(.string("key"))), .brief),
        ExpressionCase("a[#first]", .element(of: .a, at: .expression(.key("first"))), .ownChoice),
        ExpressionCase("a[first.b]", .element(of: .a, at: .expression(.key("first.b"))), .ownChoice),
        ExpressionCase(
            "SELF[0].a[LAST].b",
            .keyPath(
                KeyPathExpression(
                    "b",
                    of: .element(
                        of: .keyPath(
                            KeyPathExpression(
                                "a", of: .element(of: .evaluatedObject, at: .expression(.integer(0))))),
                        at: .last))), .formatSyntax),
        ExpressionCase("objectFrom:withIndex:(a, 0)", .element(of: .a, at: .expression(.integer(0))), .classReference),
    ]

    static let functions: [ExpressionCase] = [
        ExpressionCase("now()", .call("now"), .compiledModel),
        ExpressionCase("now( )", .call("now"), .compiledModel),
        ExpressionCase("canonical:(a)", .call("canonical:", .a), .compiledModel),
        ExpressionCase("uppercase:(title)", .call("uppercase:", .key("title")), .vocabulary),
        ExpressionCase("sum(a)", .call("sum:", .a), .formatSyntax),
        ExpressionCase("average:(1, 2, a)", .call("average:", .one, .integer(2), .a), .brief),
        ExpressionCase("max({1, 2})", .call("max:", .aggregate([.one, .integer(2)])), .formatSyntax),
        ExpressionCase("modulus:by:(a, 2)", .call("modulus:by:", .a, .integer(2)), .classReference),
        ExpressionCase("add:to:(a, b)", .infix(.a, .add, .b), .classReference),
        ExpressionCase("from:subtract: (a, b)", .infix(.a, .subtract, .b), .classReference),
        ExpressionCase("size:(a)", .call("size:", .a), .ownChoice),
        ExpressionCase("f:((a == 1), b == 1)", .call("f:", .predicate(.isA), .predicate(.isB)), .ownChoice),
        ExpressionCase(
            "FUNCTION(a, 'lowercaseString')",
            .function(FunctionCall(operand: .a, selector: "lowercaseString", arguments: [])), .classReference),
        ExpressionCase(
            "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToA\", $source.b)",
            .function(
                FunctionCall(
                    operand: .variable("manager"),
                    selector: "destinationInstancesForEntityMappingNamed:sourceInstances:",
                    arguments: [.string("AToA"), .keyPath(KeyPathExpression("b", of: .variable("source")))])),
            .runtimeSpec),
        ExpressionCase("CAST(a, \"NSDate\")", .call("castObject:toType:", .a, .string("NSDate")), .classReference),
        ExpressionCase(
            "castObject:toType:(a, 'NSDate')", .call("castObject:toType:", .a, .string("NSDate")), .classReference),
        ExpressionCase(
            "TERNARY(a == 1, b, 2 + c)", .conditional(.isA, .b, .infix(.integer(2), .add, .c)), .classReference),
        ExpressionCase(
            "FETCH(a, $manager.sourceContext, NO)",
            .fetch(
                FetchExpression(
                    request: .a, context: .keyPath(KeyPathExpression("sourceContext", of: .variable("manager"))),
                    countOnly: false)), .compiledModel),
    ]

    static let arithmetic: [ExpressionCase] = [
        ExpressionCase("a + b", .infix(.a, .add, .b), .formatSyntax),
        ExpressionCase("a-1", .infix(.a, .subtract, .one), .formatSyntax),
        ExpressionCase("a - -1", .infix(.a, .subtract, .integer(-1)), .formatSyntax),
        ExpressionCase("a - b - c", .infix(.infix(.a, .subtract, .b), .subtract, .c), .formatSyntax),
        ExpressionCase("a - (b - c)", .infix(.a, .subtract, .infix(.b, .subtract, .c)), .formatSyntax),
        ExpressionCase("a + b * c", .infix(.a, .add, .infix(.b, .multiply, .c)), .formatSyntax),
        ExpressionCase("a * b + c", .infix(.infix(.a, .multiply, .b), .add, .c), .formatSyntax),
        ExpressionCase("(a + b) * c", .infix(.infix(.a, .add, .b), .multiply, .c), .formatSyntax),
        ExpressionCase("a / b ** 2", .infix(.a, .divide, .infix(.b, .power, .integer(2))), .formatSyntax),
        ExpressionCase("a ** b ** c", .infix(.infix(.a, .power, .b), .power, .c), .ownChoice),
        ExpressionCase("-a", .infix(.integer(0), .subtract, .a), .ownChoice),
        ExpressionCase("-a.b", .infix(.integer(0), .subtract, .key("a.b")), .ownChoice),
        ExpressionCase("-a ** 2", .infix(.infix(.integer(0), .subtract, .a), .power, .integer(2)), .ownChoice),
        ExpressionCase("--1", .infix(.integer(0), .subtract, .integer(-1)), .ownChoice),
        ExpressionCase("$x := a + 1", .assignment(variable: "x", value: .infix(.a, .add, .one)), .brief),
        ExpressionCase(
            "$x := $y := 1", .assignment(variable: "x", value: .assignment(variable: "y", value: .one)), .ownChoice),
    ]

    static let collections: [ExpressionCase] = [
        ExpressionCase("a UNION b", .union(.a, .b), .classReference),
        ExpressionCase("a intersect b minus c", .minus(.intersect(.a, .b), .c), .classReference),
        ExpressionCase("a MINUS (b UNION {1})", .minus(.a, .union(.b, .aggregate([.one]))), .classReference),
        ExpressionCase("a UNION b + c", .union(.a, .infix(.b, .add, .c)), .ownChoice),
        ExpressionCase(
            "SUBQUERY(items, $x, $x.price > 3).@count",
            .keyPath(
                KeyPathExpression(
                    "@count",
                    of: .subquery(
                        Subquery(
                            collection: .key("items"), variable: "x",
                            predicate: .compare(
                                .keyPath(KeyPathExpression("price", of: .variable("x"))), using: .greaterThan,
                                right: .integer(3)))))),
            .classReference),
        ExpressionCase(
            "subquery(a, $x, $x == 1 AND a == 1)",
            .subquery(
                Subquery(
                    collection: .a, variable: "x",
                    predicate: .and([.compare(.variable("x"), using: .equal, right: .one), .isA]))), .classReference),
    ]
}
