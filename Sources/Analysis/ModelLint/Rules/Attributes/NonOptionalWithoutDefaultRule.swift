internal import Diagnostics
internal import ModelSchema

/// Reports required attributes without a default, which cannot be added to a store with objects.
struct NonOptionalWithoutDefaultRule: LintRule {
    let description = RuleDescription(
        id: .nonOptionalWithoutDefault, code: "MC3001", group: "attributes",
        title: "a required attribute has no default",
        explanation: """
            A lightweight migration that adds a required attribute needs a value for existing objects. Without a \
            default it fails with error 134110 on devices that have data, and works everywhere else. Off by default, \
            because it matters only for attributes added after a release; `modelc breaking` reports exactly those.
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
