/// Cases for the rules of attributes.
enum AttributeCases {
    /// A case with one attribute of the entity `A`.
    private static func attribute(
        _ rule: String, _ finding: String, _ message: String, clean: String, fixed: String? = nil
    ) -> RuleCase {
        func entity(_ attribute: String) -> String {
            "<entity name=\"A\"><attribute name=\"b\" \(attribute)>⟦⟧</attribute></entity>"
        }
        return RuleCase(
            rule: rule, finding: entity(finding), message: message, clean: entity(clean),
            fixed: fixed.map { entity($0) })
    }

    static let all = [
        RuleCase(
            rule: "non-optional-without-default",
            finding: "<entity name=\"A\"><attribute ‹name=\"b\"› attributeType=\"String\"/>⟦⟧</entity>",
            message: "“A.b” is required and has no default",
            clean: """
                <entity name="A">⟦⟧<attribute name="b" attributeType="String" defaultValueString=""/>
                <attribute name="c" optional="YES" attributeType="String"/><attribute name="d" attributeType="Binary"/>
                <attribute name="e" attributeType="Date" defaultDateTimeInterval="0"/></entity>
                """),
        attribute(
            "optional-scalar", "optional=\"YES\" attributeType=\"Integer 16\" ‹usesScalarValueType=\"YES\"›",
            "“A.b” is optional, but its scalar type has no nil",
            clean: "optional=\"YES\" attributeType=\"Integer 16\" usesScalarValueType=\"NO\""),
        attribute(
            "scalar-default-hides-null",
            "‹optional=\"YES\"› attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\"",
            "“A.b” is optional and has a default",
            clean: "attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\"",
            fixed: "attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\""),
        attribute(
            "insecure-transformer", "‹attributeType=\"Transformable\"›", "has no value transformer",
            clean: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\"",
            fixed: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\""),
        attribute(
            "insecure-transformer",
            "attributeType=\"Transformable\" ‹valueTransformerName=\"NSKeyedUnarchiveFromData\"› syncable=\"YES\"",
            "uses “NSKeyedUnarchiveFromData”", clean: "transient=\"YES\" attributeType=\"Transformable\"",
            fixed: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\" syncable=\"YES\""
        ),
        attribute(
            "transformable-without-class", "‹attributeType=\"Transformable\"›", "what class its values have",
            clean: "attributeType=\"Transformable\" customClassName=\"[String]\""),
        RuleCase(
            rule: "undefined-type",
            finding: "<entity name=\"A\">‹<attribute name=\"b\" optional=\"YES\"›/>⟦⟧</entity>",
            message: "“A.b” is saved and has no type",
            clean: "<entity name=\"A\"><attribute name=\"b\" transient=\"YES\"/>⟦⟧</entity>"),
        attribute(
            "default-out-of-range", "attributeType=\"Integer 16\" ‹defaultValueString=\"40000\"›",
            "is beyond what Integer 16 holds", clean: "attributeType=\"Integer 16\" defaultValueString=\"-32768\""),
        attribute(
            "default-out-of-range", "attributeType=\"Integer 32\" ‹defaultValueString=\"zero\"›", "is no number",
            clean: "attributeType=\"Integer 32\" defaultValueString=\"0.0\""),
        attribute(
            "default-out-of-range", "attributeType=\"Double\" ‹defaultValueString=\"1\"› minValueString=\"2\"",
            "is below the smallest value 2",
            clean: "attributeType=\"Double\" defaultValueString=\"2\" minValueString=\"2\" maxValueString=\"2\""),
        attribute(
            "default-out-of-range", "attributeType=\"String\" ‹defaultValueString=\"abc\"› maxValueString=\"2\"",
            "is longer than 2 characters",
            clean: "attributeType=\"String\" defaultValueString=\"ab\" maxValueString=\"2\""),
        attribute(
            "default-out-of-range", "attributeType=\"UUID\" ‹defaultValueString=\"abc\"›", "is no UUID",
            clean: "attributeType=\"UUID\" defaultValueString=\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""),
        attribute(
            "min-greater-than-max", "attributeType=\"Integer 16\" ‹minValueString=\"3\"› maxValueString=\"2\"",
            "must be at least 3 and at most 2",
            clean: "attributeType=\"Integer 16\" minValueString=\"2\" maxValueString=\"2\""),
        attribute(
            "min-greater-than-max",
            "attributeType=\"Date\" ‹minDateTimeInterval=\"3\"› maxDateTimeInterval=\"2\"", "at least 3",
            clean: "attributeType=\"Date\" minDateTimeInterval=\"2\" maxDateTimeInterval=\"3\""),
        attribute(
            "regex-invalid", "attributeType=\"String\" ‹regularExpressionString=\"[a-z\"›", "a bracket is not closed",
            clean: "attributeType=\"String\" regularExpressionString=\"^[]a-z(+*\\\\]+(?:x|y)*\\)?$\""),
        attribute(
            "regex-invalid", "attributeType=\"String\" ‹regularExpressionString=\"(a|*b)\"›",
            "“*” has nothing before it", clean: "attributeType=\"String\" regularExpressionString=\"(a|b*)+\""),
        attribute(
            "external-storage-indexed",
            "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\" ‹indexed=\"YES\"›",
            "is kept outside of the store, and indexed", clean: "attributeType=\"Binary\" indexed=\"YES\""),
        attribute(
            "large-binary-without-external-storage", "‹attributeType=\"Binary\"›", "keeps its bytes inside the store",
            clean: "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"",
            fixed: "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\""),
        attribute(
            "date-default-literal", "attributeType=\"Date\" ‹defaultDateTimeInterval=\"601234567.5\"›",
            "one moment for all objects", clean: "attributeType=\"Date\" defaultDateTimeInterval=\"-978307200\""),
        attribute(
            "decimal-minmax", "attributeType=\"Decimal\" ‹minValueString=\"0.5\"›", "is compiled as 0",
            clean: "attributeType=\"Decimal\" minValueString=\"1.0\""),
    ]
}
