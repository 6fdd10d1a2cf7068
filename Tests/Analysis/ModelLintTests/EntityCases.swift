import Diagnostics

/// Cases for the rules about entities.
enum EntityCases {
    private static func attributes(_ count: Int, _ prefix: String) -> String {
        (1...count).map { "<attribute name=\"\(prefix)\($0)\" attributeType=\"String\"/>" }.joined()
    }

    static let all = [
        RuleCase(
            rule: .abstractWithoutChildren, finding: "<entity name=\"A\" ‹isAbstract=\"YES\"›>⟦⟧</entity>",
            message: "“A” is abstract, and no entity inherits from it",
            clean: "<entity name=\"A\" isAbstract=\"YES\"/><entity name=\"B\" parentEntity=\"A\">⟦⟧</entity>"),
        RuleCase(
            rule: .singleTableInheritanceWidth,
            finding: "<entity ‹name=\"A\"›>\(attributes(50, "a"))⟦⟧</entity>"
                + "<entity name=\"B\" parentEntity=\"A\">\(attributes(51, "b"))</entity>",
            message: "“A” and its 1 subentities share a table of 101 columns",
            clean: "<entity name=\"A\">\(attributes(50, "a"))⟦⟧</entity>"
                + "<entity name=\"B\" parentEntity=\"A\">\(attributes(50, "b"))</entity>"),
        RuleCase(
            rule: .unusedEntity, finding: "<entity ‹name=\"A\"›>⟦⟧</entity>",
            message: "“A” is not referenced by the rest of the model",
            clean: "<entity name=\"A\" representedClassName=\"A\">⟦⟧</entity>"),
        RuleCase(
            rule: .duplicateClass,
            finding:
                "<entity name=\"A\" representedClassName=\"C\"/><entity name=\"B\" ‹representedClassName=\"C\"›>⟦⟧</entity>",
            message: "“B” has the same class as “A”: “C”",
            clean: "<entity name=\"A\" representedClassName=\"C\"/>"
                + "<entity name=\"B\" parentEntity=\"A\" representedClassName=\"C\">⟦⟧</entity>"
                + "<entity name=\"D\"/><entity name=\"E\"/>"),
        RuleCase(
            rule: .codegenModuleMismatch,
            finding: "<entity name=\"A\" ‹representedClassName=\"App.A\"› codeGenerationType=\"class\">⟦⟧</entity>",
            message: "looked up in the module “App”",
            clean: "<entity name=\"A\" representedClassName=\"App.A\">⟦⟧</entity>"
                + "<entity name=\"B\" representedClassName=\".B\" codeGenerationType=\"class\"/>",
            fixed: "<entity name=\"A\" representedClassName=\".A\" codeGenerationType=\"class\">⟦⟧</entity>"),
    ]
}

/// Cases for the rules about names.
enum NamingCases {
    static let all = [
        RuleCase(
            rule: .entityNameCase, finding: "<entity ‹name=\"book\"›>⟦⟧</entity>",
            message: "“book” does not start with an uppercase letter", clean: "<entity name=\"Book\">⟦⟧</entity>"),
        RuleCase(
            rule: .propertyNameCase,
            finding: "<entity name=\"A\"><attribute ‹name=\"Title\"› attributeType=\"String\">⟦⟧</attribute></entity>",
            message: "“A.Title” starts with an uppercase letter",
            clean: "<entity name=\"A\"><attribute name=\"URL\" attributeType=\"URI\">⟦⟧</attribute>"
                + "<attribute name=\"title\" attributeType=\"String\"/></entity>"),
        RuleCase(
            rule: .reservedName,
            finding:
                "<entity name=\"A\"><attribute ‹name=\"description\"› attributeType=\"String\">⟦⟧</attribute></entity>",
            message: "“A.description” has the name of a method",
            clean: "<entity name=\"A\"><attribute name=\"summary\" attributeType=\"String\">⟦⟧</attribute></entity>"),
        RuleCase(
            rule: .nameCollisionSwift, finding: "<entity name=\"Data\" ‹representedClassName=\".Data\"›>⟦⟧</entity>",
            message: "the class “Data” of “Data” shadows a Swift",
            clean: "<entity name=\"Data\" representedClassName=\"DataMO\">⟦⟧</entity><entity name=\"Set\"/>"),
        RuleCase(
            rule: .nameCollisionSwift,
            finding: "<entity name=\"Data\" ‹representedClassName=\"Data\"› codeGenerationType=\"class\">⟦⟧</entity>",
            message: "the class “Data” of “Data” shadows a Swift",
            // A class of Objective-C.
            clean: "<entity name=\"Data\" representedClassName=\"Data\">⟦⟧</entity>"
                + "<entity name=\"Set\" representedClassName=\"Set\" codeGenerationType=\"category\"/>"),
        RuleCase(
            rule: .nameCollisionSwift, finding: "<entity name=\"Data\" ‹representedClassName=\"Data\"›>⟦⟧</entity>",
            message: "the class “Data” of “Data” shadows a Swift",
            clean: "<entity name=\"Set\" representedClassName=\"Set\">⟦⟧</entity>", classes: ["Data": 3]),
        RuleCase(
            rule: .periodInName,
            finding:
                "<entity name=\"A\"><relationship ‹name=\"b.c\"› destinationEntity=\"A\">⟦⟧</relationship></entity>",
            message: "the name of “A.b.c” has a period",
            clean: "<entity name=\"A\"><relationship name=\"b_c\" destinationEntity=\"A\">⟦⟧</relationship></entity>"),
        RuleCase(
            rule: .caseOnlyDifference, finding: "<entity name=\"Book\"/><entity ‹name=\"BOOK\"›>⟦⟧</entity>",
            message: "the entity “BOOK” differs from “Book” only in case",
            clean: "<entity name=\"Book\"/><entity name=\"Books\">⟦⟧</entity>"),
        RuleCase(
            rule: .caseOnlyDifference,
            finding: "<entity name=\"P\"><attribute name=\"url\" attributeType=\"URI\"/></entity>"
                + "<entity name=\"A\" parentEntity=\"P\"><attribute ‹name=\"URL\"› attributeType=\"URI\"/>⟦⟧</entity>",
            message: "the property “A.URL” differs from “A.url” only in case",
            clean: "<entity name=\"P\"><attribute name=\"url\" attributeType=\"URI\"/></entity>"
                + "<entity name=\"A\"><attribute name=\"URL\" attributeType=\"URI\"/>⟦⟧</entity>"),
    ]
}
