internal import Diagnostics
internal import ModelSchema

/// Reports properties whose name has a period.
struct PeriodInNameRule: LintRule {
    let description = RuleDescription(
        id: .periodInName, code: "MC6006", group: "naming",
        title: "the name of a property has a period",
        explanation: """
            A key path such as `author.name` separates names by periods. In predicates, sort descriptors, prefetching \
            and indexes, a property called `a.b` is taken for the property `b` of `a`, and the request fails. Swift \
            code cannot declare the property either.
            """,
        remedy: "Rename the property.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for (name, origin) in entity.propertyNames where name.contains(".") {
                report(
                    RuleFinding(
                        "the name of “\(entity.name).\(name)” has a period", at: origin, attribute: "name",
                        inspectorField: "Name", why: "Fetches interpret it as a key path and fail.",
                        help: "Rename it."))
            }
        }
    }
}
