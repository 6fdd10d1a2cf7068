internal import Diagnostics
internal import ModelSchema

/// Reports required attributes without a default: CloudKit may deliver objects in parts.
struct CloudKitRequiredAttributeRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitRequiredAttribute, code: "MC9003", group: "cloudkit",
        title: "a required attribute of CloudKit has no default",
        explanation: """
            Records may arrive without a value, for example from an older version of the app. Core Data refuses to \
            load a store with an attribute that is neither optional nor has a default.
            """,
        remedy: "Make it optional, or give it a default.", defaultSeverity: .error, fix: .unsafe, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.cloudKitEntities {
            for attribute in entity.attributes
            where !attribute.isOptional && !attribute.isTransient && !attribute.isDerived && !attribute.hasDefault {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” is required and has no default", at: attribute.origin,
                        attribute: "name", inspectorField: "Optional",
                        why: "CloudKit does not support it: the store does not load.",
                        help: "Make it optional, or give it a default.",
                        fix: RuleFinding.Fix(
                            "Make the attribute optional", safety: .unsafe, attributes: [("optional", "YES")])))
            }
        }
    }
}
