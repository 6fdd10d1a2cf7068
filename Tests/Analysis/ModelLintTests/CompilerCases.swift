import Diagnostics

/// Cases for the rules of the compiler, which `Model.findings(at: .compiles)` checks.
enum CompilerCases {
    private static func entity(_ content: String) -> String { "<entity name=\"A\">\(content)⟦⟧</entity>" }

    private static func attribute(_ rest: String) -> String { "<attribute name=\"x\" optional=\"YES\" \(rest)/>" }

    private static func relationship(_ rest: String, name: String = "r", inverse: String = "r") -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"A\""
            + " inverseName=\"\(inverse)\" inverseEntity=\"A\" \(rest)/>"
    }

    private static func request(_ predicate: String) -> String {
        "<entity name=\"A\">\(attribute("attributeType=\"String\""))</entity>"
            + "<fetchRequest name=\"f\" entity=\"A\" \(predicate)/>"
    }

    private static let address =
        "<composite name=\"Address\"><attribute name=\"city\" optional=\"YES\" attributeType=\"String\"/></composite>"

    /// A composite type that is nested in others, each twice, so that the outermost has 16384 elements.
    private static var towers: String {
        (1...14).map { level in
            let inner =
                level == 1
                ? "attributeType=\"String\"" : "attributeType=\"Composite\" composite=\"T\(level - 1)\""
            return
                "<composite name=\"T\(level)\"><attribute name=\"a\" \(inner)/><attribute name=\"b\" \(inner)/></composite>"
        }.joined()
    }

    static let all = [
        RuleCase(
            rule: .invalidDerivation,
            finding: entity(attribute("attributeType=\"Date\" derived=\"YES\" ‹derivationExpression=\"now((\"›")),
            message: "cannot be read",
            clean: entity(attribute("attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\""))),
        RuleCase(
            rule: .missingInverse,
            finding: entity(
                "<relationship ‹name=\"r\"› optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"A\"/>"
            ),
            message: "“A.r” has no inverse", clean: entity(relationship("maxCount=\"1\""))),
        RuleCase(
            rule: .noActionDeleteRule,
            finding: entity(relationship("maxCount=\"1\"")).replacing(
                "deletionRule=\"Nullify\"", with: "‹deletionRule=\"No Action\"›"),
            message: "has the delete rule No Action", clean: entity(relationship("maxCount=\"1\""))),
        RuleCase(
            rule: .transientInverse,
            finding: entity(
                relationship("maxCount=\"1\" transient=\"YES\"", name: "q", inverse: "r")
                    + relationship("maxCount=\"1\"", name: "r", inverse: "q")
            ).replacing("inverseName=\"r\"", with: "‹inverseName=\"r\"›").replacing(
                "inverseName=\"q\"", with: "‹inverseName=\"q\"›"),
            message: "are not both transient",
            clean: entity(
                relationship("maxCount=\"1\" transient=\"YES\"", name: "q", inverse: "r")
                    + relationship("maxCount=\"1\" transient=\"YES\"", name: "r", inverse: "q"))),
        // The inverse is declared by an ancestor of the destination.
        RuleCase(
            rule: .transientInverse,
            finding:
                "<entity name=\"P\"><relationship name=\"q\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\""
                + " destinationEntity=\"A\" ‹inverseName=\"r\"› inverseEntity=\"A\"/></entity>"
                + "<entity name=\"C\" parentEntity=\"P\"/>"
                + "<entity name=\"A\"><relationship name=\"r\" optional=\"YES\" transient=\"YES\" maxCount=\"1\""
                + " deletionRule=\"Nullify\" destinationEntity=\"C\" ‹inverseName=\"q\"› inverseEntity=\"C\"/></entity>",
            message: "“P.q” and its inverse “A.r” are not both transient",
            clean: "<entity name=\"A\"/>"),
        RuleCase(
            rule: .tooManyProperties,
            finding: "<entity ‹name=\"A\"›>"
                + (0...100).map { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }.joined() + "⟦⟧</entity>",
            message: "“A” has 101 properties", clean: entity("<attribute name=\"a\" attributeType=\"String\"/>")),
        RuleCase(
            rule: .toManyCount, finding: entity(relationship("toMany=\"YES\" ‹maxCount=\"1\"›")),
            message: "is to-many but has a maximum count of 1",
            clean: entity(relationship("toMany=\"YES\" maxCount=\"2\""))),
        RuleCase(
            rule: .toManyCount, finding: entity(relationship("‹maxCount=\"5\"›")),
            message: "is to-one but has a maximum count of 5", clean: entity(relationship("maxCount=\"1\""))),
        RuleCase(
            rule: .toManyCount, finding: entity(relationship("‹maxCount=\"0\"›")),
            message: "is to-one but has a maximum count of 0",
            clean: entity(relationship("toMany=\"YES\" maxCount=\"0\""))),
        RuleCase(
            rule: .unknownComposite,
            finding: entity(attribute("attributeType=\"Composite\" ‹composite=\"Adress\"›")) + address,
            message: "the composite type “Adress” of “A.x” is not in the model",
            clean: entity(attribute("attributeType=\"Composite\" composite=\"Address\"")) + address),
        RuleCase(
            rule: .unknownComposite,
            finding: entity("‹<attribute name=\"x\" optional=\"YES\" attributeType=\"Composite\"›/>"),
            message: "“A.x” has no composite type",
            clean: entity(attribute("attributeType=\"Composite\" composite=\"Address\"")) + address),
        RuleCase(
            rule: .unknownComposite,
            finding:
                "<composite name=\"P\"><attribute name=\"q\" attributeType=\"Composite\" ‹composite=\"P\"›/></composite>",
            message: "the composite type “P” of “P.q” contains itself", clean: address),
        RuleCase(
            rule: .unknownComposite,
            finding: entity(attribute("attributeType=\"Composite\" ‹composite=\"T14\"›")) + towers,
            message: "has more than 10000 elements",
            clean: entity(attribute("attributeType=\"Composite\" composite=\"T13\""))
                + towers.replacing("<composite name=\"T14\">", with: "<composite name=\"Unused\">")
                .replacing("composite=\"T13\"/>", with: "composite=\"T2\"/>")),
        RuleCase(
            rule: .unsupportedPredicate, finding: request("‹predicateString=\"x[FIRST] == 'a'\"›"),
            message: "in the predicate of the fetch request “f” cannot be compiled",
            clean: request("predicateString=\"x == 'a'\"")),
        RuleCase(
            rule: .invalidPredicate, finding: request("‹predicateString=\"%K == 'a'\"›"),
            message: "has the placeholder %K, which has no value",
            clean: request("predicateString=\"x == $a\"")),
        RuleCase(
            rule: .constraintUnknownAttribute,
            finding: entity(
                attribute("attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"")
                    + "<uniquenessConstraints><uniquenessConstraint><constraint ‹value=\"x\"›/></uniquenessConstraint>"
                    + "</uniquenessConstraints>"),
            message: "which is derived",
            clean: entity(
                attribute("attributeType=\"Date\"")
                    + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint>"
                    + "</uniquenessConstraints>")),
    ]
}
