import Diagnostics
import ModelLint

/// Cases for the rules about the target's sources.
enum SourceCases {
    private static func entity(_ mode: String) -> String {
        "<entity name=\"Book\" representedClassName=\".Book\" \(mode)>⟦⟧</entity>"
    }

    static let all = [
        RuleCase(
            rule: .classDeclaredByHand, finding: entity("‹codeGenerationType=\"class\"›"),
            message: "declared in Book.swift:3", clean: entity("codeGenerationType=\"category\""),
            fixed: entity("codeGenerationType=\"category\""), classes: ["Book": 3]),
        RuleCase(
            rule: .classMissing, finding: entity("‹codeGenerationType=\"category\"›"),
            message: "the class “Book” of “Book” is not in the sources", clean: entity("codeGenerationType=\"class\""),
            fixed: entity("codeGenerationType=\"class\""), classes: ["Books": 1]),
        mismatch(
            "<attribute name=\"count\" optional=\"YES\" ‹attributeType=\"Integer 16\"›/>",
            "“Book.count” is Integer 16 in the model, and Int32 in Book.swift:4",
            clean: "<attribute name=\"count\" optional=\"YES\" attributeType=\"Integer 32\"/>"),
        mismatch(
            // Swift bridges nil to an empty text.
            "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
                + "<attribute name=\"printed\" ‹optional=\"YES\"› attributeType=\"Date\"/>",
            "“Book.printed” is optional in the model, and not in Book.swift:4",
            clean: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
                + "<attribute name=\"printed\" optional=\"YES\" attributeType=\"Date\" defaultDateTimeInterval=\"0\"/>"),
        mismatch(
            "<attribute ‹name=\"pages\"› optional=\"YES\" attributeType=\"Integer 64\"/>",
            "no source declares the attribute “Book.pages”",
            clean: "<attribute name=\"derived\" optional=\"YES\" attributeType=\"Integer 64\"/>"),
        mismatch(
            "<relationship ‹name=\"parts\"› optional=\"YES\" toMany=\"YES\" ordered=\"YES\" destinationEntity=\"Book\"/>",
            "“Book.parts” is ordered and to-many in the model, and NSSet in Book.swift:4",
            clean: "<relationship name=\"parts\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Book\"/>"),
        mismatch(
            "<relationship ‹name=\"parts\"› optional=\"YES\" maxCount=\"1\" destinationEntity=\"Book\"/>",
            "“Book.parts” is to-one in the model, and NSSet in Book.swift:4",
            clean: "<relationship name=\"parts\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Book\"/>"),
        RuleCase(
            rule: .classMismatch,
            finding: "<entity ‹name=\"Book\"› representedClassName=\"Book\">⟦⟧</entity>",
            message: "“Book.count” in Book.swift:4 is not a property of “Book”",
            clean: "<entity name=\"Book\" representedClassName=\"Book\" codeGenerationType=\"category\"/>",
            classes: ["Book": 3],
            properties: ["count": SourceClasses.Property(type: "Int32", isOptional: false, file: "Book.swift", line: 4)]
        ),
    ]

    /// A case of a class with a property, which is optional if it is a set.
    private static func mismatch(_ finding: String, _ message: String, clean: String) -> RuleCase {
        let types = [
            "count": "Int32", "title": "String", "parts": "NSSet", "status": "Status", "primitiveTitle": "String",
            "printed": "Date",
        ]
        let properties = types.filter { $0.key == "primitiveTitle" || finding.contains("\"\($0.key)\"") }
        return RuleCase(
            rule: .classMismatch,
            finding: "<entity name=\"Book\" representedClassName=\"Book\">⟦⟧\(finding)</entity>", message: message,
            clean: "<entity name=\"Book\" representedClassName=\"Book\">\(clean)</entity>", classes: ["Book": 3],
            properties: properties.mapValues {
                SourceClasses.Property(type: $0, isOptional: $0 == "NSSet", file: "Book.swift", line: 4)
            })
    }
}
