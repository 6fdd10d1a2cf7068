internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports renaming identifiers, which CloudKit does not support.
struct CloudKitRenameRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitRename, code: "MC9011", group: "cloudkit",
        title: "an element of CloudKit has a renaming identifier",
        explanation: """
            Migration moves the values of a renamed attribute in the store of a device. In CloudKit, the new name is a new \
            field: records keep their values in the old one, and a device that gets its data from CloudKit finds the new one \
            empty. The same applies to relationships and to the entity that names a record type.
            """,
        remedy: "Keep the old name, or add the new property beside the old one and copy the values in code.",
        defaultSeverity: .warning, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for tree in context.cloudKitTrees {
            let root = tree.root
            if Self.isRenamed(root.renamingIdentifier, root.name) {
                report(Self.finding("the entity “\(root.name)”", old: root.renamingIdentifier, origin: root.origin))
            }
            for entity in tree.members {
                for attribute in entity.attributes
                where !attribute.isTransient && Self.isRenamed(attribute.renamingIdentifier, attribute.name) {
                    report(
                        Self.finding(
                            "“\(entity.name).\(attribute.name)”", old: attribute.renamingIdentifier,
                            origin: attribute.origin))
                }
                for relationship in entity.relationships
                where !relationship.isTransient && Self.isRenamed(relationship.renamingIdentifier, relationship.name) {
                    report(
                        Self.finding(
                            "“\(entity.name).\(relationship.name)”", old: relationship.renamingIdentifier,
                            origin: relationship.origin))
                }
            }
        }
    }

    private static func isRenamed(_ identifier: String?, _ name: String) -> Bool {
        guard let identifier else { return false }
        return !identifier.isEmpty && identifier != name
    }

    private static func finding(_ subject: String, old: String?, origin: ElementOrigin?) -> RuleFinding {
        RuleFinding(
            "\(subject) was renamed from “\(old ?? "")”", at: origin, attribute: "elementID",
            inspectorField: "Renaming ID", why: "Records in CloudKit keep their data under the old name.",
            help: "Keep the old name, or copy the data in code.")
    }
}
