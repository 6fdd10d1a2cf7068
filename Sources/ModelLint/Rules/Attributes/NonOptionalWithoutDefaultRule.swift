internal import Diagnostics
internal import ModelSchema

/// A required attribute without a default cannot be added to a store that has objects.
struct NonOptionalWithoutDefaultRule: LintRule {
    let description = RuleDescription(
        id: .nonOptionalWithoutDefault, code: "MC3001", group: "attributes",
        title: "a required attribute has no default",
        explanation: """
            A lightweight migration that adds a required attribute needs a value for the objects that are there; without a \
            default it fails with error 134110 on the phones of people who have data, and works everywhere else. Whether it \
            hurts depends on the versions that are out, so that this is off unless it is enabled; the check against a \
            shipped version tells the real cases.
            """,
        remedy: "Give it a default, or make it optional.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where !attribute.isOptional && !attribute.isTransient && !attribute.isDerived && !attribute.hasDefault
                && attribute.type.canHaveDefault
            {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” is required and has no default", at: attribute.origin,
                        attribute: "name", inspectorField: "Default Value",
                        why: "A store with objects cannot be migrated to a version that adds it.",
                        help: "Give it a default, or make it optional."))
            }
        }
    }
}
