import PredicateSyntax
import Testing

@Suite struct PredicateParsingTests {
    @Test(arguments: comparisons + options + modifiers + compounds + real)
    func predicatesBecomeTheirTrees(_ example: PredicateCase) throws {
        #expect(try PredicateParser.parsePredicate(example.text) == example.tree, "\(example.source)")
    }

    static let comparisons: [PredicateCase] = [
        PredicateCase("a = 1", .compare(.a, using: .equal, right: .one), .formatSyntax),
        PredicateCase("a == 1", .compare(.a, using: .equal, right: .one), .formatSyntax),
        PredicateCase("a==1", .compare(.a, using: .equal, right: .one), .formatSyntax),
        PredicateCase("a != 1", .compare(.a, using: .notEqual, right: .one), .formatSyntax),
        PredicateCase("a <> 1", .compare(.a, using: .notEqual, right: .one), .formatSyntax),
        PredicateCase("a < 1", .compare(.a, using: .lessThan, right: .one), .formatSyntax),
        PredicateCase("a > 1", .compare(.a, using: .greaterThan, right: .one), .formatSyntax),
        PredicateCase("a <= 1", .compare(.a, using: .lessThanOrEqual, right: .one), .formatSyntax),
        PredicateCase("a =< 1", .compare(.a, using: .lessThanOrEqual, right: .one), .formatSyntax),
        PredicateCase("a >= 1", .compare(.a, using: .greaterThanOrEqual, right: .one), .formatSyntax),
        PredicateCase("a => 1", .compare(.a, using: .greaterThanOrEqual, right: .one), .formatSyntax),
        PredicateCase("a=-1", .compare(.a, using: .equal, right: .integer(-1)), .formatSyntax),
        PredicateCase("a<-1", .compare(.a, using: .lessThan, right: .integer(-1)), .formatSyntax),
        PredicateCase(
            "1 BETWEEN {0, 33}", .compare(.one, using: .between, right: .aggregate([.integer(0), .integer(33)])),
            .formatSyntax),
        PredicateCase(
            "$INPUT BETWEEN {$LOWER, $UPPER}",
            .compare(.variable("INPUT"), using: .between, right: .aggregate([.variable("LOWER"), .variable("UPPER")])),
            .formatSyntax),
        PredicateCase(
            "name IN {'Ben', 'Melissa', 'Nick'}",
            .compare(
                .key("name"), using: .in, right: .aggregate([.string("Ben"), .string("Melissa"), .string("Nick")])),
            .formatSyntax),
        PredicateCase("a beginswith 'x'", .compare(.a, using: .beginsWith, right: .string("x")), .formatSyntax),
        PredicateCase("a ENDSWITH 'x'", .compare(.a, using: .endsWith, right: .string("x")), .formatSyntax),
        PredicateCase("a Contains 'x'", .compare(.a, using: .contains, right: .string("x")), .formatSyntax),
        PredicateCase("a LIKE '*x?'", .compare(.a, using: .like, right: .string("*x?")), .formatSyntax),
        PredicateCase(#"a MATCHES '\\d+'"#, .compare(.a, using: .matches, right: .string(#"\d+"#)), .formatSyntax),
        PredicateCase("SELF IN $LIST", .compare(.evaluatedObject, using: .in, right: .variable("LIST")), .formatSyntax),
        PredicateCase("a == nil", .compare(.a, using: .equal, right: .constant(.null)), .formatSyntax),
        PredicateCase("a == NULL", .compare(.a, using: .equal, right: .constant(.null)), .formatSyntax),
        PredicateCase("a == YES", .compare(.a, using: .equal, right: .constant(.boolean(true))), .formatSyntax),
        PredicateCase("a == false", .compare(.a, using: .equal, right: .constant(.boolean(false))), .formatSyntax),
        PredicateCase("1 == a", .compare(.one, using: .equal, right: .a), .formatSyntax),
        PredicateCase("ANYKEY == 1", .compare(.anyKey, using: .equal, right: .one), .formatSyntax),
        PredicateCase("(a) == ((1))", .compare(.a, using: .equal, right: .one), .formatSyntax),
        PredicateCase(
            "(a > 1) == TRUE",
            .compare(
                .predicate(.compare(.a, using: .greaterThan, right: .one)), using: .equal,
                right: .constant(.boolean(true))), .brief),
        PredicateCase("TRUEPREDICATE == b", .compare(.predicate(.value(true)), using: .equal, right: .b), .brief),
    ]

    static let options: [PredicateCase] = [
        PredicateCase("a ==[c] b", .compare(.a, using: .equal, right: .b, options: .caseInsensitive), .formatSyntax),
        PredicateCase(
            "a contains[cd] 'x'",
            .compare(.a, using: .contains, right: .string("x"), options: [.caseInsensitive, .diacriticInsensitive]),
            .formatSyntax),
        PredicateCase(
            "a LIKE [dc] 'x'",
            .compare(.a, using: .like, right: .string("x"), options: [.caseInsensitive, .diacriticInsensitive]),
            .brief),
        PredicateCase(
            "a BEGINSWITH[n] 'x'", .compare(.a, using: .beginsWith, right: .string("x"), options: .normalized),
            .runtimeSpec),
        PredicateCase(
            "a <[l] 'x'", .compare(.a, using: .lessThan, right: .string("x"), options: .localeSensitive), .brief),
        PredicateCase(
            "a IN[CDnl] b",
            .compare(
                .a, using: .in, right: .b,
                options: [.caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive]), .brief),
        PredicateCase("a ==[] b", .compare(.a, using: .equal, right: .b), .ownChoice),
    ]

    static let modifiers: [PredicateCase] = [
        PredicateCase("ANY a == 1", .compare(.a, using: .equal, right: .one, modifier: .any), .formatSyntax),
        PredicateCase("some a == 1", .compare(.a, using: .equal, right: .one, modifier: .any), .formatSyntax),
        PredicateCase("ALL a == 1", .compare(.a, using: .equal, right: .one, modifier: .all), .formatSyntax),
        PredicateCase("NONE a == 1", .not(.compare(.a, using: .equal, right: .one, modifier: .any)), .formatSyntax),
        PredicateCase("NOT ANY a == 1", .not(.compare(.a, using: .equal, right: .one, modifier: .any)), .formatSyntax),
        PredicateCase(
            "NOT NONE a == 1", .not(.not(.compare(.a, using: .equal, right: .one, modifier: .any))), .formatSyntax),
        PredicateCase(
            "ALL children.age < 18 AND ANY a.b IN {1}",
            .and([
                .compare(.key("children.age"), using: .lessThan, right: .integer(18), modifier: .all),
                .compare(.key("a.b"), using: .in, right: .aggregate([.one]), modifier: .any),
            ]), .formatSyntax),
        PredicateCase(
            "ANY a + b > c * 2",
            .compare(
                .infix(.a, .add, .b), using: .greaterThan, right: .infix(.c, .multiply, .integer(2)), modifier: .any),
            .formatSyntax),
        PredicateCase(
            "ANY (a.b) == 1", .compare(.key("a.b"), using: .equal, right: .one, modifier: .any), .formatSyntax),
    ]

    static let compounds: [PredicateCase] = [
        PredicateCase("TRUEPREDICATE", .value(true), .formatSyntax),
        PredicateCase("falsepredicate", .value(false), .formatSyntax),
        PredicateCase("a == 1 AND b == 1", .and([.isA, .isB]), .formatSyntax),
        PredicateCase("a == 1 && b == 1", .and([.isA, .isB]), .formatSyntax),
        PredicateCase("a == 1 or b == 1", .or([.isA, .isB]), .formatSyntax),
        PredicateCase("a == 1||b == 1", .or([.isA, .isB]), .formatSyntax),
        PredicateCase("NOT a == 1", .not(.isA), .formatSyntax),
        PredicateCase("!a == 1", .not(.isA), .formatSyntax),
        PredicateCase("! (a == 1)", .not(.isA), .formatSyntax),
        PredicateCase("NOT(a == 1 AND b == 1)", .not(.and([.isA, .isB])), .formatSyntax),
        PredicateCase("NOT NOT a == 1", .not(.not(.isA)), .formatSyntax),
        PredicateCase("a == 1 AND b == 1 AND c == 1", .and([.isA, .isB, .isC]), .brief),
        PredicateCase("a == 1 OR b == 1 OR c == 1", .or([.isA, .isB, .isC]), .brief),
        PredicateCase("(a == 1 AND b == 1) AND c == 1", .and([.and([.isA, .isB]), .isC]), .ownChoice),
        PredicateCase("a == 1 AND (b == 1 AND c == 1)", .and([.isA, .and([.isB, .isC])]), .ownChoice),
        PredicateCase("a == 1 OR b == 1 AND c == 1", .or([.isA, .and([.isB, .isC])]), .formatSyntax),
        PredicateCase("a == 1 AND b == 1 OR c == 1", .or([.and([.isA, .isB]), .isC]), .formatSyntax),
        PredicateCase("(a == 1 OR b == 1) AND c == 1", .and([.or([.isA, .isB]), .isC]), .formatSyntax),
        PredicateCase("NOT a == 1 AND b == 1", .and([.not(.isA), .isB]), .formatSyntax),
        PredicateCase("a == 1 AND NOT b == 1 OR c == 1", .or([.and([.isA, .not(.isB)]), .isC]), .formatSyntax),
        PredicateCase(
            "a == 1 AND b == 1 OR a == 1 AND c == 1 OR c == 1", .or([.and([.isA, .isB]), .and([.isA, .isC]), .isC]),
            .formatSyntax),
        PredicateCase("((((a == 1))))", .isA, .formatSyntax),
        PredicateCase(
            "(a + b) > 3 AND (c == 1)",
            .and([.compare(.infix(.a, .add, .b), using: .greaterThan, right: .integer(3)), .isC]), .brief),
        PredicateCase("  \n\ta == 1\r\n", .isA, .formatSyntax),
    ]

    /// Predicates of real models (Documentation/Formats/ModelSource.md, 2.5).
    static let real: [PredicateCase] = [
        PredicateCase(
            "booleanAttribute = YES",
            .compare(.key("booleanAttribute"), using: .equal, right: .constant(.boolean(true))), .vocabulary
        ),
        PredicateCase(
            "true == true", .compare(.constant(.boolean(true)), using: .equal, right: .constant(.boolean(true))),
            .vocabulary),
        PredicateCase("int16 > 100", .compare(.key("int16"), using: .greaterThan, right: .integer(100)), .vocabulary),
        PredicateCase("test = \"\"", .compare(.key("test"), using: .equal, right: .string("")), .vocabulary),
        PredicateCase(
            "humanName == $humanName", .compare(.key("humanName"), using: .equal, right: .variable("humanName")),
            .vocabulary),
        PredicateCase(
            "booleanAttribute == 1 AND floatAttribute > 5",
            .and([
                .compare(.key("booleanAttribute"), using: .equal, right: .one),
                .compare(.key("floatAttribute"), using: .greaterThan, right: .integer(5)),
            ]), .vocabulary),
        PredicateCase(
            "parent.parentName == $parentName",
            .compare(.key("parent.parentName"), using: .equal, right: .variable("parentName")), .vocabulary),
        PredicateCase(
            "oneToOne.name == $NAME OR string == $NEEDLE",
            .or([
                .compare(.key("oneToOne.name"), using: .equal, right: .variable("NAME")),
                .compare(.key("string"), using: .equal, right: .variable("NEEDLE")),
            ]), .vocabulary),
        PredicateCase(
            "$FETCHED_PROPERTY.userInfo.x == SELF",
            .compare(
                .keyPath(KeyPathExpression("userInfo.x", of: .variable("FETCHED_PROPERTY"))), using: .equal,
                right: .evaluatedObject),
            .runtimeSpec),
    ]
}
