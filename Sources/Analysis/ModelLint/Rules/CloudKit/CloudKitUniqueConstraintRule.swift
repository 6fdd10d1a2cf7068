internal import Diagnostics
internal import ModelSchema

/// Reports uniqueness constraints, which CloudKit does not support.
struct CloudKitUniqueConstraintRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitUniqueConstraint, code: "MC9001", group: "cloudkit",
        title: "an entity of CloudKit has a uniqueness constraint",
        explanation: """
            CloudKit cannot keep values unique across devices. `NSPersistentCloudKitContainer` refuses to load a store with \
            a uniqueness constraint (134060) on devices with an iCloud account, so tests do not detect it.
            """,
        remedy: "Remove the constraint, and merge duplicates in code when changes are imported.",
        defaultSeverity: .error,
        profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.cloudKitEntities {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.properties.map(\.name).joined(separator: ", ")
                report(
                    RuleFinding(
                        "“\(entity.name)” has a uniqueness constraint on \(names)",
                        at: constraint.properties.first?.origin ?? constraint.origin, attribute: "value",
                        inspectorField: "Constraints", why: "CloudKit does not support it: the store does not load.",
                        help: "Remove it, and merge duplicates in code."))
            }
        }
    }
}
