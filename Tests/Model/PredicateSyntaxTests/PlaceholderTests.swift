import PredicateSyntax
import Testing

@Suite struct PlaceholderTests {
    struct KindCase: Sendable, CustomTestStringConvertible {
        let spelling: String
        let kind: Placeholder.Kind
        var testDescription: String { spelling }
    }

    /// The conversion specifiers of Apple's string formats, and `%K`.
    static let kinds: [KindCase] = [
        KindCase(spelling: "%@", kind: .object), KindCase(spelling: "%K", kind: .keyPath),
        KindCase(spelling: "%d", kind: .signedInteger), KindCase(spelling: "%i", kind: .signedInteger),
        KindCase(spelling: "%ld", kind: .signedInteger), KindCase(spelling: "%lld", kind: .signedInteger),
        KindCase(spelling: "%qd", kind: .signedInteger), KindCase(spelling: "%hd", kind: .signedInteger),
        KindCase(spelling: "%zd", kind: .signedInteger), KindCase(spelling: "%u", kind: .unsignedInteger),
        KindCase(spelling: "%lu", kind: .unsignedInteger), KindCase(spelling: "%llu", kind: .unsignedInteger),
        KindCase(spelling: "%x", kind: .unsignedInteger), KindCase(spelling: "%f", kind: .floatingPoint),
        KindCase(spelling: "%lf", kind: .floatingPoint), KindCase(spelling: "%g", kind: .floatingPoint),
        KindCase(spelling: "%c", kind: .character), KindCase(spelling: "%s", kind: .cString),
    ]

    @Test(arguments: kinds)
    func kindAndSpelling(_ example: KindCase) throws {
        let predicate = try PredicateParser.parsePredicate("a == \(example.spelling)")
        let placeholder = Placeholder(index: 0, kind: example.kind, spelling: example.spelling)
        #expect(predicate == .compare(.a, using: .equal, right: .placeholder(placeholder, of: nil)))
        #expect(predicate.predicateFormat == "a == \(example.spelling)")
    }

    @Test func argumentsAreNumberedInTheOrderOfTheText() throws {
        let predicate = try PredicateParser.parsePredicate(
            "SUBQUERY(%K, $x, $x.%K == %@).@count > %ld AND a[%d] IN {%f}")
        #expect(predicate.placeholders.map(\.index) == [0, 1, 2, 3, 4, 5])
        #expect(predicate.placeholders.map(\.spelling) == ["%K", "%K", "%@", "%ld", "%d", "%f"])
    }

    @Test func argumentsBecomeConstantsAndKeyPaths() throws {
        let arguments: [Argument] = [
            .keyPath("orders.items"), .constant(.string("product.name")), .constant(.opaque(OpaqueValue(index: 7))),
            .constant(.integer(2)),
        ]
        let predicate = try PredicateParser.parsePredicate("SUBQUERY(%K, $x, $x.%K == %@).@count > %ld")
            .substitutingArguments { arguments[$0.index] }
        let name = Expression.keyPath(KeyPathExpression("product.name", of: .variable("x")))
        let subquery = Subquery(
            collection: .key("orders.items"), variable: "x",
            predicate: .compare(name, using: .equal, right: .constant(.opaque(OpaqueValue(index: 7)))))
        #expect(
            predicate
                == .compare(
                    .keyPath(KeyPathExpression("@count", of: .subquery(subquery))), using: .greaterThan,
                    right: .integer(2)))
        #expect(predicate.placeholders.isEmpty)
    }

    @Test func keyPathArgumentsJoinTheKeysAroundThem() throws {
        let predicate = try PredicateParser.parsePredicate("%K.name == a.%K.b.%K")
            .substitutingArguments { .keyPath(["x.y", "p.q", "@count"][$0.index]) }
        #expect(predicate == .compare(.key("x.y.name"), using: .equal, right: .key("a.p.q.b.@count")))
    }

    @Test func objectArgumentMayBeAnExpression() throws {
        let predicate = try PredicateParser.parsePredicate("%@ > 1").substitutingArguments { _ in
            .expression(.infix(.a, .add, .b))
        }
        #expect(predicate == .compare(.infix(.a, .add, .b), using: .greaterThan, right: .one))
    }

    @Test func keyPathPlaceholderRefusesOtherValues() throws {
        let predicate = try PredicateParser.parsePredicate("a.%K == 1")
        let mismatch = #expect(throws: ArgumentMismatch.self) {
            try predicate.substitutingArguments { _ in .constant(.integer(3)) }
        }
        #expect(mismatch?.description == "argument 1 for %K must be a key path")
    }

    @Test func errorsOfTheCallerPassThrough() throws {
        struct Missing: Error, Equatable {}
        let predicate = try PredicateParser.parsePredicate("a == %@")
        #expect(throws: Missing()) { try predicate.substitutingArguments { _ in throw Missing() } }
    }

    /// Apple, "Predicate Format String Syntax": quoted, `%@` and `$name` are taken as they stand.
    @Test func quotedPlaceholdersAreText() throws {
        let predicate = try PredicateParser.parsePredicate("a LIKE '%@ %K $x %%'")
        #expect(predicate == .compare(.a, using: .like, right: .string("%@ %K $x %%")))
    }
}
