internal import Diagnostics
internal import ModelSchema

/// Reports limits that no value satisfies.
struct MinGreaterThanMaxRule: LintRule {
    let description = RuleDescription(
        id: .minGreaterThanMax, code: "MC3008", group: "attributes",
        title: "the minimum value of an attribute exceeds its maximum value",
        explanation: """
            No value satisfies both limits, so an object with a value can never be saved.
            """,
        remedy: "Correct one of the limits.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes {
                guard let lower = attribute.limitTexts.minimum, let upper = attribute.limitTexts.maximum,
                    attribute.compiledLimit(lower) > attribute.compiledLimit(upper)
                else { continue }
                let isDate = attribute.type == .date
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” must be at least \(lower) and at most \(upper)",
                        at: attribute.origin, attribute: isDate ? "minDateTimeInterval" : "minValueString",
                        inspectorField: "Validation", why: "No value meets both limits.",
                        help: "Correct one of the limits."))
            }
        }
    }
}
