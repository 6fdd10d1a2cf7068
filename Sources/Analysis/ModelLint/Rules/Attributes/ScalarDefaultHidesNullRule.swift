internal import Diagnostics
internal import ModelSchema

/// Reports optional scalar attributes with a default.
struct ScalarDefaultHidesNullRule: LintRule {
    let description = RuleDescription(
        id: .scalarDefaultHidesNull, code: "MC3003", group: "attributes",
        title: "an optional scalar attribute has a default",
        explanation: """
            New objects get the default, but other objects may have nil, which a scalar type reads as 0. Off by \
            default.
            """,
        remedy: "Make the attribute required.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.isOptional && attribute.usesScalarType == true && attribute.hasDefault
                && attribute.type.isNumber
            {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” is optional and has a default, and nil reads as 0",
                        at: attribute.origin, attribute: "optional", inspectorField: "Optional",
                        why: "Code cannot tell a missing value from 0.", help: "Make it required.",
                        fix: RuleFinding.Fix(
                            "Make the attribute required", safety: .unsafe, attributes: [("optional", nil)])))
            }
        }
    }
}
