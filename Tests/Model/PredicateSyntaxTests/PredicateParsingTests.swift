import PredicateSyntax
import Testing

@Suite struct PredicateParsingTests {
    @Test(arguments: comparisons + options + modifiers + compounds + real)
    func parses(_ example: PredicateCase) throws {
        #expect(try PredicateParser.parsePredicate(example.text) == example.tree, "\(example.source)")
    }

    static let comparisons: [PredicateCase] = [
        PredicateCase("a = 1", .compare(.a, .equal, .one), .formatSyntax),
        PredicateCase("a == 1", .compare(.a, .equal, .one), .formatSyntax),
        PredicateCase("a==1", .compare(.a, .equal, .one), .formatSyntax),
        PredicateCase("a != 1", .compare(.a, .notEqual, .one), .formatSyntax),
        PredicateCase("a <> 1", .compare(.a, .notEqual, .one), .formatSyntax),
        PredicateCase("a < 1", .compare(.a, .lessThan, .one), .formatSyntax),
        PredicateCase("a > 1", .compare(.a, .greaterThan, .one), .formatSyntax),
        PredicateCase("a <= 1", .compare(.a, .lessThanOrEqual, .one), .formatSyntax),
        PredicateCase("a =< 1", .compare(.a, .lessThanOrEqual, .one), .formatSyntax),
        PredicateCase("a >= 1", .compare(.a, .greaterThanOrEqual, .one), .formatSyntax),
        PredicateCase("a => 1", .compare(.a, .greaterThanOrEqual, .one), .formatSyntax),
        PredicateCase("a=-1", .compare(.a, .equal, .integer(-1)), .formatSyntax),
        PredicateCase("a<-1", .compare(.a, .lessThan, .integer(-1)), .formatSyntax),
        PredicateCase(
            "1 BETWEEN {0, 33}", .compare(.one, .between, .aggregate([.integer(0), .integer(33)])), .formatSyntax),
        PredicateCase(
            "$INPUT BETWEEN {$LOWER, $UPPER}",
            .compare(.variable("INPUT"), .between, .aggregate([.variable("LOWER"), .variable("UPPER")])), .formatSyntax),
        PredicateCase(
            "name IN {'Ben', 'Melissa', 'Nick'}",
            .compare(.key("name"), .in, .aggregate([.string("Ben"), .string("Melissa"), .string("Nick")])),
            .formatSyntax),
        PredicateCase("a beginswith 'x'", .compare(.a, .beginsWith, .string("x")), .formatSyntax),
        PredicateCase("a ENDSWITH 'x'", .compare(.a, .endsWith, .string("x")), .formatSyntax),
        PredicateCase("a Contains 'x'", .compare(.a, .contains, .string("x")), .formatSyntax),
        PredicateCase("a LIKE '*x?'", .compare(.a, .like, .string("*x?")), .formatSyntax),
        PredicateCase(#"a MATCHES '\\d+'"#, .compare(.a, .matches, .string(#"\d+"#)), .formatSyntax),
        PredicateCase("SELF IN $LIST", .compare(.evaluatedObject, .in, .variable("LIST")), .formatSyntax),
        PredicateCase("a == nil", .compare(.a, .equal, .constant(.null)), .formatSyntax),
        PredicateCase("a == NULL", .compare(.a, .equal, .constant(.null)), .formatSyntax),
        PredicateCase("a == YES", .compare(.a, .equal, .constant(.boolean(true))), .formatSyntax),
        PredicateCase("a == false", .compare(.a, .equal, .constant(.boolean(false))), .formatSyntax),
        PredicateCase("1 == a", .compare(.one, .equal, .a), .formatSyntax),
        PredicateCase("ANYKEY == 1", .compare(.anyKey, .equal, .one), .formatSyntax),
        PredicateCase("(a) == ((1))", .compare(.a, .equal, .one), .formatSyntax),
        PredicateCase(
            "(a > 1) == TRUE",
            .compare(.predicate(.compare(.a, .greaterThan, .one)), .equal, .constant(.boolean(true))), .brief),
        PredicateCase("TRUEPREDICATE == b", .compare(.predicate(.value(true)), .equal, .b), .brief),
    ]

    static let options: [PredicateCase] = [
        PredicateCase("a ==[c] b", .compare(.a, .equal, .b, options: .caseInsensitive), .formatSyntax),
        PredicateCase(
            "a contains[cd] 'x'",
            .compare(.a, .contains, .string("x"), options: [.caseInsensitive, .diacriticInsensitive]), .formatSyntax),
        PredicateCase(
            "a LIKE [dc] 'x'", .compare(.a, .like, .string("x"), options: [.caseInsensitive, .diacriticInsensitive]),
            .brief),
        PredicateCase(
            "a BEGINSWITH[n] 'x'", .compare(.a, .beginsWith, .string("x"), options: .normalized), .runtimeSpec),
        PredicateCase("a <[l] 'x'", .compare(.a, .lessThan, .string("x"), options: .localeSensitive), .brief),
        PredicateCase(
            "a IN[CDnl] b",
            .compare(
                .a, .in, .b, options: [.caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive]), .brief),
        PredicateCase("a ==[] b", .compare(.a, .equal, .b), .ownChoice),
    ]

    static let modifiers: [PredicateCase] = [
        PredicateCase("ANY a == 1", .compare(.a, .equal, .one, modifier: .any), .formatSyntax),
        PredicateCase("some a == 1", .compare(.a, .equal, .one, modifier: .any), .formatSyntax),
        PredicateCase("ALL a == 1", .compare(.a, .equal, .one, modifier: .all), .formatSyntax),
        PredicateCase("NONE a == 1", .not(.compare(.a, .equal, .one, modifier: .any)), .formatSyntax),
        PredicateCase("NOT ANY a == 1", .not(.compare(.a, .equal, .one, modifier: .any)), .formatSyntax),
        PredicateCase("NOT NONE a == 1", .not(.not(.compare(.a, .equal, .one, modifier: .any))), .formatSyntax),
        PredicateCase(
            "ALL children.age < 18 AND ANY a.b IN {1}",
            .and([
                .compare(.key("children.age"), .lessThan, .integer(18), modifier: .all),
                .compare(.key("a.b"), .in, .aggregate([.one]), modifier: .any),
            ]), .formatSyntax),
        PredicateCase(
            "ANY a + b > c * 2",
            .compare(
                .infix(.a, .add, .b), .greaterThan, .infix(.c, .multiply, .integer(2)), modifier: .any),
            .formatSyntax),
        PredicateCase("ANY (a.b) == 1", .compare(.key("a.b"), .equal, .one, modifier: .any), .formatSyntax),
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
            "(a + b) > 3 AND (c == 1)", .and([.compare(.infix(.a, .add, .b), .greaterThan, .integer(3)), .isC]), .brief),
        PredicateCase("  \n\ta == 1\r\n", .isA, .formatSyntax),
    ]

    /// Predicates of real models (Documentation/Formats/ModelSource.md, 2.5).
    static let real: [PredicateCase] = [
        PredicateCase(
            "booleanAttribute = YES", .compare(.key("booleanAttribute"), .equal, .constant(.boolean(true))), .vocabulary
        ),
        PredicateCase(
            "true == true", .compare(.constant(.boolean(true)), .equal, .constant(.boolean(true))), .vocabulary),
        PredicateCase("int16 > 100", .compare(.key("int16"), .greaterThan, .integer(100)), .vocabulary),
        PredicateCase("test = \"\"", .compare(.key("test"), .equal, .string("")), .vocabulary),
        PredicateCase(
            "humanName == $humanName", .compare(.key("humanName"), .equal, .variable("humanName")), .vocabulary),
        PredicateCase(
            "booleanAttribute == 1 AND floatAttribute > 5",
            .and([
                .compare(.key("booleanAttribute"), .equal, .one),
                .compare(.key("floatAttribute"), .greaterThan, .integer(5)),
            ]), .vocabulary),
        PredicateCase(
            "parent.parentName == $parentName",
            .compare(.key("parent.parentName"), .equal, .variable("parentName")), .vocabulary),
        PredicateCase(
            "oneToOne.name == $NAME OR string == $NEEDLE",
            .or([
                .compare(.key("oneToOne.name"), .equal, .variable("NAME")),
                .compare(.key("string"), .equal, .variable("NEEDLE")),
            ]), .vocabulary),
        PredicateCase(
            "$FETCHED_PROPERTY.userInfo.x == SELF",
            .compare(
                .keyPath(KeyPathExpression("userInfo.x", of: .variable("FETCHED_PROPERTY"))), .equal, .evaluatedObject),
            .runtimeSpec),
    ]
}
