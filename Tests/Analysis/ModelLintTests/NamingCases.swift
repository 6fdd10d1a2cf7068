import Diagnostics

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
