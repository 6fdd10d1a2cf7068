/// Cases for the rules about models that CloudKit schemas cannot express.
enum CloudKitSchemaCases {
    private static func uuid(_ name: String, _ other: String = "") -> String {
        "<attribute \(name) optional=\"YES\" attributeType=\"UUID\"\(other)/>"
    }

    private static func entity(_ content: String) -> String { "<entity name=\"A\">\(content)⟦⟧</entity>" }

    private static func tree(_ type: String, _ name: String) -> String {
        """
        <entity name="P"/>
        <entity name="A" parentEntity="P">\(uuid("name=\"x\""))</entity>
        <entity name="B" parentEntity="P">⟦⟧<attribute \(name) optional="YES" attributeType="\(type)"/></entity>
        """
    }

    private static func configuration(_ destination: String, _ members: [String]) -> String {
        """
        <entity name="A">⟦⟧<relationship name="r" optional="YES" maxCount="1" \(destination) inverseName="s"/></entity>
        <entity name="B"><relationship name="s" optional="YES" maxCount="1" destinationEntity="A" inverseName="r"/></entity>
        <configuration name="C" usedWithCloudKit="YES">\(members.map { "<memberEntity name=\"\($0)\"/>" }.joined())\
        </configuration>
        """
    }

    /// Returns an entity with an attribute, and a mirrored configuration.
    private static func mirrored(_ attribute: String, members: [String]) -> String {
        """
        <entity name="A">⟦⟧<attribute \(attribute) attributeType="String"/></entity>
        <entity name="B" parentEntity="A"/><entity name="C"/>
        <configuration name="Cloud" usedWithCloudKit="YES">\(members.map { "<memberEntity name=\"\($0)\"/>" }.joined())\
        </configuration>
        """
    }

    static let all = [
        // Even with the profile, entities of other configurations are not mirrored; inherited attributes are.
        RuleCase(
            rule: .cloudkitRequiredAttribute, finding: mirrored("‹name=\"x\"›", members: ["B"]),
            message: "“A.x” is required", clean: mirrored("name=\"x\"", members: ["C"]),
            fixed: mirrored("name=\"x\" optional=\"YES\"", members: ["B"]), isForCloudKit: true),
        RuleCase(
            rule: .cloudkitReservedName,
            finding: entity(uuid("‹name=\"entityName\"›") + uuid("‹name=\"moveReceipt\"›")),
            message: "“A.entityName” has the name of a field that Core Data adds",
            clean: entity(uuid("name=\"EntityName\"") + uuid("name=\"entityName\"", " transient=\"YES\"")),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitReservedName,
            finding: entity(
                "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>" + uuid("‹name=\"x_ckAsset\"›")),
            message: "“A.x_ckAsset”", clean: entity(uuid("name=\"x\"") + uuid("name=\"x_ckAsset\"")),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitName, finding: entity(uuid("‹name=\"größe\"›")), message: "“A.größe” has a name",
            clean: entity(
                uuid("name=\"größe\"", " transient=\"YES\"") + uuid("name=\"_x9\"")
                    + "<relationship name=\"bücher\" toMany=\"YES\" destinationEntity=\"A\"/>"), isForCloudKit: true),
        RuleCase(
            rule: .cloudkitName, finding: "<entity ‹name=\"Straße\"›>⟦⟧</entity>", message: "the entity “Straße”",
            clean: "<entity name=\"A\">⟦⟧</entity><entity name=\"Straße\" parentEntity=\"A\"/>", isForCloudKit: true),
        RuleCase(
            rule: .cloudkitCaseCollision, finding: entity(uuid("name=\"x\"") + uuid("‹name=\"X\"›")),
            message: "“A.X” differs from “A.x” in case only", clean: entity(uuid("name=\"x\"") + uuid("name=\"y\"")),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitCaseCollision, finding: "<entity name=\"a\"/><entity ‹name=\"A\"›>⟦⟧</entity>",
            message: "the entity “A” differs from “a” in case only",
            clean: "<entity name=\"a\"/><entity name=\"A\" parentEntity=\"a\">⟦⟧</entity>", isForCloudKit: true),
        RuleCase(
            rule: .cloudkitInheritanceClash, finding: tree("Date", "‹name=\"x\"›"),
            message: "“B.x” is TIMESTAMP in CloudKit, and “A.x” is STRING", clean: tree("URI", "name=\"x\""),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitConfigurationCrossing, finding: configuration("‹destinationEntity=\"B\"›", ["A"]),
            message: "“A.r” has the destination “B”, which is not in the configuration “C”",
            clean: configuration("destinationEntity=\"B\"", ["A", "B"])),
        RuleCase(
            rule: .cloudkitEncryption,
            finding: entity(
                uuid("name=\"x\"", " derived=\"YES\" derivationExpression=\"y\" ‹allowsCloudEncryption=\"YES\"›")),
            message: "the derived attribute “A.x” cannot be encrypted",
            clean: entity(uuid("name=\"x\"", " allowsCloudEncryption=\"YES\"")), isForCloudKit: true),
        RuleCase(
            rule: .cloudkitEncryption,
            finding: entity(
                "<relationship name=\"r\" optional=\"YES\" destinationEntity=\"A\" ‹allowsCloudEncryption=\"YES\"›/>"),
            message: "the relationship “A.r” cannot be encrypted",
            clean: entity(
                "<relationship name=\"r\" optional=\"YES\" destinationEntity=\"A\" allowsCloudEncryption=\"NO\"/>"),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitRename, finding: entity(uuid("name=\"x\"", " ‹elementID=\"y\"›")),
            message: "“A.x” was renamed from “y”", clean: entity(uuid("name=\"x\"", " elementID=\"x\"")),
            isForCloudKit: true),
        RuleCase(
            rule: .cloudkitRename, finding: "<entity name=\"A\" ‹elementID=\"Old\"›>⟦⟧</entity>",
            message: "the entity “A” was renamed from “Old”",
            clean: "<entity name=\"P\">⟦⟧</entity><entity name=\"A\" parentEntity=\"P\" elementID=\"Old\"/>",
            isForCloudKit: true),
    ]
}
