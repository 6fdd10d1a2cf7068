import PredicateSyntax
import Testing

@Suite struct DerivationTests {
    struct Derivation: Sendable, CustomTestStringConvertible {
        let text: String
        let stored: String
        let source: Source
        var testDescription: String { text }
    }

    static let derivations: [Derivation] = [
        // Proven: the hashes of SwiftGen's ChildEntity and CoreDataPlus' Book (Documentation/Formats/VersionHashes.md,
        // 2.3).
        Derivation(text: "oneToMany.@count", stored: "count:(oneToMany)", source: .compiledModel),
        Derivation(text: "now()", stored: "now()", source: .compiledModel),
        Derivation(
            text: "canonical:(optionalString)", stored: "canonical:(optionalString)", source: .compiledModel),
        Derivation(text: "count:(oneToMany)", stored: "count:(oneToMany)", source: .compiledModel),
        // Likely: the same document marks `@sum` and plain key paths with L.
        Derivation(text: "rel.@sum.price", stored: "sum:(rel.price)", source: .compiledModel),
        Derivation(text: "name", stored: "name", source: .compiledModel),
        // There are no samples of these.
        Derivation(text: "rel.price.@sum", stored: "sum:(rel.price)", source: .ownChoice),
        Derivation(text: "rel.@min.price", stored: "min:(rel.price)", source: .brief),
        Derivation(text: "rel.@max.price", stored: "max:(rel.price)", source: .brief),
        Derivation(text: "rel.@avg.price", stored: "average:(rel.price)", source: .brief),
        Derivation(text: "@count", stored: "count:(SELF)", source: .ownChoice),
        Derivation(text: "SELF.rel.@count", stored: "count:(SELF.rel)", source: .ownChoice),
        Derivation(text: "rel.@count + 1", stored: "count:(rel) + 1", source: .ownChoice),
        Derivation(
            text: "rel.@distinctUnionOfObjects.x", stored: "rel.@distinctUnionOfObjects.x", source: .ownChoice),
        Derivation(
            text: "rel.@distinctUnionOfObjects.x.@count", stored: "rel.@distinctUnionOfObjects.x.@count",
            source: .ownChoice),
    ]

    @Test(arguments: derivations)
    func derivationsPrintAsApplesModelsStoreThem(_ example: Derivation) throws {
        let expression = try PredicateParser.parseExpression(example.text).asDerivation
        #expect(expression.predicateFormat == example.stored, "\(example.source)")
        #expect(expression.asDerivation == expression)
    }
}
