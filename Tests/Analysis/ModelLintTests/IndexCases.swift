import Diagnostics

/// Cases for the rules about indexes and constraints.
enum IndexCases {
    private static func index(_ name: String, _ columns: String..., suffix: String = "") -> String {
        "<fetchIndex name=\"\(name)\"\(suffix)>"
            + columns.map { "<fetchIndexElement property=\"\($0)\" type=\"Binary\" order=\"ascending\"/>" }.joined()
            + "</fetchIndex>"
    }

    private static func entity(_ content: String) -> String {
        "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/><attribute name=\"y\" attributeType=\"String\"/>"
            + "<attribute name=\"z\" transient=\"YES\" attributeType=\"String\"/>"
            + "<relationship name=\"r\" maxCount=\"1\" destinationEntity=\"A\"/>\(content)⟦⟧</entity>"
    }

    private static let composite =
        "<composite name=\"Address\"><attribute name=\"city\" optional=\"YES\" attributeType=\"String\"/></composite>"
    private static let home =
        "<attribute name=\"home\" optional=\"YES\" attributeType=\"Composite\" composite=\"Address\"/>"

    private static func constraint(_ names: String...) -> String {
        "<uniquenessConstraints><uniquenessConstraint>"
            + names.map { "<constraint value=\"\($0)\"/>" }.joined()
            + "</uniquenessConstraint></uniquenessConstraints>"
    }

    static let all = [
        RuleCase(
            rule: .legacyIndexedAttribute,
            finding: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" ‹indexed=\"YES\"›/>⟦⟧</entity>",
            message: "has the index flag of Xcode 8",
            clean: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" indexed=\"NO\"/>⟦⟧</entity>"),
        RuleCase(
            rule: .legacyIndexedAttribute,
            finding:
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" ‹indexed=\"YES\"› syncable=\"YES\"/>"
                + index("i", "x") + "⟦⟧</entity>",
            message: "both a fetch index and the index flag of Xcode 8",
            clean: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/>" + index("i", "x")
                + "⟦⟧</entity>",
            fixed: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" syncable=\"YES\"/>"
                + index("i", "x")
                + "⟦⟧</entity>"),
        // A partial index serves only some fetches, so the flag cannot simply be removed.
        RuleCase(
            rule: .legacyIndexedAttribute,
            finding:
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\" ‹indexed=\"YES\"›/>"
                + index("i", "x", suffix: " partialIndexPredicate=\"x == 'a'\"") + "⟦⟧</entity>",
            message: "“A.x” has the index flag of Xcode 8",
            clean: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/>⟦⟧</entity>"),
        RuleCase(
            rule: .legacyIndexedAttribute,
            finding:
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Double\" ‹indexed=\"YES\"›/>"
                + index("i", "x").replacing("Binary", with: "RTree") + "⟦⟧</entity>",
            message: "“A.x” has the index flag of Xcode 8",
            clean: "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Double\"/>⟦⟧</entity>"),
        RuleCase(
            rule: .duplicateIndex,
            finding: entity(index("i", "x") + index("j", "x").replacing("name=\"j\"", with: "‹name=\"j\"›")),
            message: "repeats the columns of “i”", clean: entity(index("i", "x") + index("j", "y"))),
        RuleCase(
            rule: .redundantPrefixIndex,
            finding: entity(index("i", "x").replacing("name=\"i\"", with: "‹name=\"i\"›") + index("j", "x", "y")),
            message: "is a prefix of “j”", clean: entity(index("i", "y") + index("j", "x", "y"))),
        RuleCase(
            rule: .indexOnUnknownProperty,
            finding: entity(index("i", "q").replacing("property=\"q\"", with: "‹property=\"q\"›")),
            message: "names “q”, which does not exist", clean: entity(index("i", "x", "r"))),
        RuleCase(
            rule: .indexOnUnknownProperty,
            finding: entity(
                "<compoundIndexes><compoundIndex><index ‹value=\"x, q\"›/></compoundIndex></compoundIndexes>"),
            message: "a compound index of “A” names “q”, which does not exist",
            clean: entity("<compoundIndexes><compoundIndex><index value=\"x, y\"/></compoundIndex></compoundIndexes>")),
        RuleCase(
            rule: .indexOnUnknownProperty,
            finding: composite + "<entity name=\"A\">" + home
                + index("i", "home.nope").replacing("property=\"home.nope\"", with: "‹property=\"home.nope\"›")
                + "⟦⟧</entity>",
            message: "names “home.nope”, which does not exist",
            clean: composite + "<entity name=\"A\">" + home + index("i", "home.city") + "⟦⟧</entity>"),
        RuleCase(
            rule: .indexWithoutColumn,
            finding: entity(index("i", "z").replacing("property=\"z\"", with: "‹property=\"z\"›")),
            message: "contains the transient attribute “z”", clean: entity(index("i", "x", "r"))),
        RuleCase(
            rule: .indexWithoutColumn,
            finding: """
                <entity name="A"><relationship name="many" toMany="YES" destinationEntity="A"/>
                <fetchIndex name="i"><fetchIndexElement ‹property="many"› type="Binary" order="ascending"/></fetchIndex>⟦⟧</entity>
                """, message: "the fetch index “i” of “A” contains the to-many relationship “many”",
            clean: "<entity name=\"P\"><attribute name=\"x\" attributeType=\"String\"/></entity>"
                + "<entity name=\"A\" parentEntity=\"P\">" + index("i", "x") + "⟦⟧</entity>"),
        RuleCase(
            rule: .indexCoveredByUnique,
            finding: entity(index("i", "x").replacing("name=\"i\"", with: "‹name=\"i\"›") + constraint("x", "y")),
            message: "repeats a uniqueness constraint", clean: entity(index("i", "y") + constraint("x", "y"))),
        RuleCase(
            rule: .constraintUnknownAttribute,
            finding: entity(constraint("q").replacing("value=\"q\"", with: "‹value=\"q\"›")),
            message: "names “q”, which “A” does not have", clean: entity(constraint("x", "y"))),
        RuleCase(
            rule: .constraintOnRelationship,
            finding: entity(constraint("r").replacing("value=\"r\"", with: "‹value=\"r\"›")),
            message: "names the relationship “r”", clean: entity(constraint("x"))),
        RuleCase(
            rule: .unindexedFetchTemplate,
            finding: entity("")
                + "<fetchRequest name=\"f\" entity=\"A\" ‹predicateString=\"x == $X\"›/>",
            message: "compares “A.x”, which has no index",
            clean: entity(index("i", "x"))
                + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"x == $X AND y == 1\"/>"
        ).withoutSuppression,
    ]
}

extension RuleCase {
    /// The same case without markers for suppressions: a fetch request has no `userInfo`.
    var withoutSuppression: RuleCase {
        var result = self
        result.finding = finding.replacing("⟦⟧", with: "")
        result.clean = clean.replacing("⟦⟧", with: "")
        return result
    }
}
