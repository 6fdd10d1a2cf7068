internal import Diagnostics
internal import ModelSchema

/// Reports encryption settings without effect: CloudKit encrypts only the values of attributes.
struct CloudKitEncryptionRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitEncryption, code: "MC9010", group: "cloudkit",
        title: "“Allows Cloud Encryption” has no effect",
        explanation: """
            CloudKit encrypts the values of persistent attributes. Relationships cannot be encrypted, and a derived \
            attribute is computed from unencrypted values. The encryption of a field in production can never change; `modelc \
            cloudkit check` compares with the production schema.
            """,
        remedy: "Remove the setting.", defaultSeverity: .warning, profile: "cloudkit")

    private static let key = "allowsCloudEncryption"

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.cloudKitEntities {
            for attribute in entity.attributes
            where attribute.allowsCloudEncryption && (attribute.isDerived || attribute.isTransient) {
                report(
                    finding(
                        "the \(attribute.isDerived ? "derived" : "transient") attribute “\(entity.name).\(attribute.name)”",
                        attribute.origin,
                        why: attribute.isDerived
                            ? "Encrypt the attributes that it is derived from."
                            : "Transient attributes are not mirrored to CloudKit."))
            }
            for relationship in entity.relationships
            where relationship.unrecognized.contains(where: {
                $0.name == Self.key && $0.kind == .attribute(value: "YES")
            }) {
                report(
                    finding(
                        "the relationship “\(entity.name).\(relationship.name)”", relationship.origin,
                        why: "CloudKit encrypts values, not references to other records."))
            }
        }
    }

    private func finding(_ subject: String, _ origin: ElementOrigin?, why: String) -> RuleFinding {
        RuleFinding(
            "\(subject) cannot be encrypted in CloudKit", at: origin, attribute: Self.key,
            inspectorField: "Allows Cloud Encryption", why: why, help: "Remove the setting.")
    }
}
