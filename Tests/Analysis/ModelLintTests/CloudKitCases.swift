import Diagnostics
import ModelLint

/// Cases for the rules about CloudKit.
enum CloudKitCases {
    private static func cloud(
        _ rule: RuleID, _ finding: String, _ message: String, clean: String, fixed: String? = nil
    ) -> RuleCase {
        func entity(_ content: String) -> String { "<entity name=\"A\">\(content)⟦⟧</entity>" }
        return RuleCase(
            rule: rule, finding: entity(finding), message: message, clean: entity(clean),
            fixed: fixed.map { entity($0) },
            isForCloudKit: true)
    }

    static let all =
        [
            cloud(
                .cloudkitUniqueConstraint,
                "<uniquenessConstraints><uniquenessConstraint><constraint ‹value=\"x\"›/></uniquenessConstraint></uniquenessConstraints>",
                "“A” has a uniqueness constraint on x", clean: ""),
            cloud(
                .cloudkitAttributeType, "<attribute name=\"x\" optional=\"YES\" ‹attributeType=\"Undefined\"›/>",
                "has the type Undefined", clean: "<attribute name=\"x\" transient=\"YES\"/>"),
            cloud(
                .cloudkitRequiredAttribute, "<attribute ‹name=\"x\"› attributeType=\"String\"/>",
                "“A.x” is required and has no default",
                clean: "<attribute name=\"x\" attributeType=\"String\" defaultValueString=\"\"/>",
                fixed: "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>"),
            cloud(
                .cloudkitRelationship,
                "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" ‹ordered=\"YES\"› destinationEntity=\"A\" inverseName=\"r\"/>",
                "“A.r” is ordered",
                clean:
                    "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"r\"/>",
                fixed:
                    "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"r\"/>"
            ),
            cloud(
                .cloudkitRelationship,
                "<relationship name=\"r\" optional=\"YES\" ‹deletionRule=\"Deny\"› destinationEntity=\"A\" inverseName=\"r\"/>",
                "“A.r” has the delete rule Deny",
                clean:
                    "<relationship name=\"r\" optional=\"YES\" deletionRule=\"Cascade\" destinationEntity=\"A\" inverseName=\"r\"/>",
                fixed:
                    "<relationship name=\"r\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"A\" inverseName=\"r\"/>"
            ),
        ] + CloudKitSchemaCases.all
}
