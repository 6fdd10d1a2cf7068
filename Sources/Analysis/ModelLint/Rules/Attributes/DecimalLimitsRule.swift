internal import Diagnostics
internal import ModelSchema

/// Reports limits of decimals that Apple's compiler truncates.
struct DecimalLimitsRule: LintRule {
    let description = RuleDescription(
        id: .decimalMinmax, code: "MC3013", group: "attributes",
        title: "a limit of a decimal attribute is not a plain integer",
        explanation: """
            Apple's `momc` truncates the limits of Decimal attributes to whole numbers (rdar 13677527): a minimum of 0.5 is \
            compiled as 0, and 1e3 as 1. modelc does the same, so that both produce the same model.
            """,
        remedy: "Check the limit in `validateValue` or in code.", defaultSeverity: .note)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes where attribute.type == .decimal {
                for (text, name) in [(attribute.minimum, "minValueString"), (attribute.maximum, "maxValueString")] {
                    guard let text, let (number, isExact) = DecimalText.parse(text), isExact else { continue }
                    let compiled = NumberText.integer(text)
                    guard DecimalText(String(compiled))?.isEqual(to: number) == false else { continue }
                    report(
                        RuleFinding(
                            "the limit \(text) of “\(entity.name).\(attribute.name)” is compiled as \(compiled)",
                            at: attribute.origin, attribute: name, inspectorField: "Validation",
                            why: "Apple's compiler truncates the limits of decimals to integers.",
                            help: "Check the limit in code."))
                }
            }
        }
    }
}
