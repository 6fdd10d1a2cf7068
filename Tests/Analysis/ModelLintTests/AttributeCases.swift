import Diagnostics

/// Cases for the rules about attributes.
enum AttributeCases {
    /// Returns a case with one attribute of the entity `A`.
    private static func attribute(
        _ rule: RuleID, _ finding: String, _ message: String, clean: String, fixed: String? = nil
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
            rule: .nonOptionalWithoutDefault,
            finding: "<entity name=\"A\"><attribute ‹name=\"b\"› attributeType=\"String\"/>⟦⟧</entity>",
            message: "“A.b” is required and has no default",
            clean: """
                <entity name="A">⟦⟧<attribute name="b" attributeType="String" defaultValueString=""/>
                <attribute name="c" optional="YES" attributeType="String"/><attribute name="d" attributeType="Binary"/>
                <attribute name="e" attributeType="Date" defaultDateTimeInterval="0"/></entity>
                """),
        attribute(
            .optionalScalar, "optional=\"YES\" attributeType=\"Integer 16\" ‹usesScalarValueType=\"YES\"›",
            "“A.b” is optional, but its scalar type has no nil",
            clean: "optional=\"YES\" attributeType=\"Integer 16\" usesScalarValueType=\"NO\""),
        attribute(
            .scalarDefaultHidesNull,
            "‹optional=\"YES\"› attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\"",
            "“A.b” is optional and has a default",
            clean: "attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\"",
            fixed: "attributeType=\"Integer 16\" defaultValueString=\"1\" usesScalarValueType=\"YES\""),
        attribute(
            .insecureTransformer, "‹attributeType=\"Transformable\"›", "has no value transformer",
            clean: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\"",
            fixed: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\""),
        attribute(
            .insecureTransformer,
            "attributeType=\"Transformable\" ‹valueTransformerName=\"NSKeyedUnarchiveFromData\"› syncable=\"YES\"",
            "uses “NSKeyedUnarchiveFromData”", clean: "transient=\"YES\" attributeType=\"Transformable\"",
            fixed: "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\" syncable=\"YES\""
        ),
        attribute(
            .transformableWithoutClass, "‹attributeType=\"Transformable\"›", "does not specify the class of its values",
            clean: "attributeType=\"Transformable\" customClassName=\"[String]\""),
        RuleCase(
            rule: .undefinedType,
            finding: "<entity name=\"A\">‹<attribute name=\"b\" optional=\"YES\"›/>⟦⟧</entity>",
            message: "“A.b” is persistent and has no type",
            clean: "<entity name=\"A\"><attribute name=\"b\" transient=\"YES\"/>⟦⟧</entity>"),
        attribute(
            .defaultOutOfRange, "attributeType=\"Integer 16\" ‹defaultValueString=\"40000\"›",
            "is out of range for Integer 16", clean: "attributeType=\"Integer 16\" defaultValueString=\"-32768\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Integer 32\" ‹defaultValueString=\"zero\"›", "is not a number",
            clean: "attributeType=\"Integer 32\" defaultValueString=\"0.0\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Double\" ‹defaultValueString=\"1\"› minValueString=\"2\"",
            "is below the smallest value 2",
            clean: "attributeType=\"Double\" defaultValueString=\"2\" minValueString=\"2\" maxValueString=\"2\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"String\" ‹defaultValueString=\"abc\"› maxValueString=\"2\"",
            "is longer than 2 characters",
            clean: "attributeType=\"String\" defaultValueString=\"ab\" maxValueString=\"2\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"UUID\" ‹defaultValueString=\"abc\"›", "is not a UUID",
            clean: "attributeType=\"UUID\" defaultValueString=\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""),
        attribute(
            .minGreaterThanMax, "attributeType=\"Integer 16\" ‹minValueString=\"3\"› maxValueString=\"2\"",
            "must be at least 3 and at most 2",
            clean: "attributeType=\"Integer 16\" minValueString=\"2\" maxValueString=\"2\""),
        attribute(
            .minGreaterThanMax,
            "attributeType=\"Date\" ‹minDateTimeInterval=\"3\"› maxDateTimeInterval=\"2\"", "at least 3",
            clean: "attributeType=\"Date\" minDateTimeInterval=\"2\" maxDateTimeInterval=\"3\""),
        attribute(
            .regexInvalid, "attributeType=\"String\" ‹regularExpressionString=\"[a-z\"›", "a bracket is not closed",
            clean: "attributeType=\"String\" regularExpressionString=\"^[]a-z(+*\\\\]+(?:x|y)*\\)?$\""),
        attribute(
            .regexInvalid, "attributeType=\"String\" ‹regularExpressionString=\"(a|*b)\"›",
            "“*” has nothing before it", clean: "attributeType=\"String\" regularExpressionString=\"(a|b*)+\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Integer 32\" ‹defaultValueString=\"1.5\"›",
            "is not an integer, and is compiled as 1",
            clean: "attributeType=\"Integer 32\" defaultValueString=\"15\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Integer 16\" ‹defaultValueString=\"0x10\"›",
            "is not a number, and is compiled as 0",
            clean: "attributeType=\"Integer 16\" defaultValueString=\"-10\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Integer 64\" ‹defaultValueString=\"9223372036854775808\"›",
            "is out of range for Integer 64, and is compiled as 9223372036854775807",
            clean: "attributeType=\"Integer 64\" defaultValueString=\"9223372036854775807\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Double\" ‹defaultValueString=\"nan\"›",
            "is not a number, and is compiled as 0",
            clean: "attributeType=\"Double\" defaultValueString=\".5\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Double\" ‹defaultValueString=\"1e999\"›",
            "is not a number, and is compiled as",
            clean: "attributeType=\"Double\" defaultValueString=\"1e99\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Float\" ‹defaultValueString=\"1e39\"›",
            "is out of range for Float",
            clean: "attributeType=\"Float\" defaultValueString=\"1e38\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Decimal\" ‹defaultValueString=\"1,5\"›",
            "is not a number, and is compiled as 1",
            clean: "attributeType=\"Decimal\" defaultValueString=\"1.5e2\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Decimal\" ‹defaultValueString=\"one\"›",
            "is not a number, and is not compiled",
            clean: "attributeType=\"Decimal\" defaultValueString=\"1\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Boolean\" ‹defaultValueString=\"on\"›",
            "is neither YES nor NO, and is compiled as NO",
            clean: "attributeType=\"Boolean\" defaultValueString=\"Yes\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Date\" ‹defaultValueString=\"today\"›",
            "is not compiled: the default of a date",
            clean: "attributeType=\"Date\" defaultValueString=\"\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Binary\" ‹defaultValueString=\"x\"›",
            "is not compiled: the type Binary has no default",
            clean: "attributeType=\"Binary\" defaultValueString=\"\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"URI\" ‹defaultValueString=\"http://a b\"›",
            "is not a valid URL",
            clean: "attributeType=\"URI\" defaultValueString=\"http://a/%20?b#c\""),
        attribute(
            .defaultOutOfRange, "attributeType=\"Date\" ‹defaultDateTimeInterval=\"now\"›",
            "is not a number of seconds, and is compiled as 0",
            clean: "attributeType=\"Date\" defaultDateTimeInterval=\"0\""),
        attribute(
            .defaultOutOfRange,
            "attributeType=\"Date\" minDateTimeInterval=\"5\" ‹defaultDateTimeInterval=\"0\"›",
            "is below the smallest value 5",
            clean: "attributeType=\"Date\" minDateTimeInterval=\"5\" defaultDateTimeInterval=\"5\""),
        // The limits are compared as they are compiled: 2 and 1.
        attribute(
            .minGreaterThanMax,
            "attributeType=\"Decimal\" ‹minValueString=\"2\"› maxValueString=\"1.9\"", "at least 2 and at most 1.9",
            clean: "attributeType=\"Decimal\" minValueString=\"1.9\" maxValueString=\"1.1\""),
        attribute(
            .minGreaterThanMax,
            "attributeType=\"Integer 64\" ‹minValueString=\"9007199254740993\"› maxValueString=\"9007199254740992\"",
            "at least 9007199254740993",
            clean: "attributeType=\"Boolean\" minValueString=\"3\" maxValueString=\"2\""),
        attribute(
            .decimalMinmax, "attributeType=\"Decimal\" ‹maxValueString=\"1e3\"›", "is compiled as 1",
            clean: "attributeType=\"Decimal\" maxValueString=\"1000.0\""),
        attribute(
            .regexInvalid, "attributeType=\"String\" ‹regularExpressionString=\"\\Q[\\E[\"›", "a bracket is not closed",
            clean: "attributeType=\"String\" regularExpressionString=\"\\Q[(*\\E.*\""),
        attribute(
            .regexInvalid, "attributeType=\"String\" ‹regularExpressionString=\"(?x) a ( # comment )\"›",
            "a parenthesis is not closed",
            clean: "attributeType=\"String\" regularExpressionString=\"(?#[)(?-x:#)(?x) a # comment (&#10; b\""),
        attribute(
            .externalStorageIndexed,
            "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\" ‹indexed=\"YES\"›",
            "is stored externally, and indexed", clean: "attributeType=\"Binary\" indexed=\"YES\""),
        attribute(
            .largeBinaryWithoutExternalStorage, "‹attributeType=\"Binary\"›", "keeps its bytes inside the store",
            clean: "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"",
            fixed: "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\""),
        attribute(
            .dateDefaultLiteral, "attributeType=\"Date\" ‹defaultDateTimeInterval=\"601234567.5\"›",
            "the same date for all objects", clean: "attributeType=\"Date\" defaultDateTimeInterval=\"-978307200\""),
        attribute(
            .decimalMinmax, "attributeType=\"Decimal\" ‹minValueString=\"0.5\"›", "is compiled as 0",
            clean: "attributeType=\"Decimal\" minValueString=\"1.0\""),
    ]
}
