internal import Diagnostics
internal import ModelSchema

/// Reports dates whose default is a fixed moment.
struct DateDefaultLiteralRule: LintRule {
    let description = RuleDescription(
        id: .dateDefaultLiteral, code: "MC3012", group: "attributes", title: "a date has a fixed default",
        explanation: """
            The default of a date is a fixed moment, the same for all objects. Typing `now` or `today` in Xcode stores \
            the moment of typing.
            """,
        remedy: "Set dates in `awakeFromInsert()`, or derive them with `now()`.", defaultSeverity: .note)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes where attribute.type == .date {
                guard let interval = attribute.defaultDateInterval.map(NumberText.parseReal), interval.isExact else {
                    continue
                }
                // The reference date, 1970 and whole days are deliberate; a moment with seconds was typed as `now`.
                guard interval.value.truncatingRemainder(dividingBy: 60) != 0 else { continue }
                report(
                    RuleFinding(
                        "the default of “\(entity.name).\(attribute.name)” is the same date for all objects",
                        at: attribute.origin, attribute: "defaultDateTimeInterval", inspectorField: "Default Value",
                        why: "It is the date that was entered in the model, not the date when an object is created.",
                        help: "Set the date in awakeFromInsert(), or derive it with now()."))
            }
        }
    }
}
