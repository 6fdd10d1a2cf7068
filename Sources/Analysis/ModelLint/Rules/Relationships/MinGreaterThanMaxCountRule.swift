internal import Diagnostics
internal import ModelSchema

/// Reports relationships whose minimum count exceeds their maximum count.
struct MinGreaterThanMaxCountRule: LintRule {
    let description = RuleDescription(
        id: .minCountGreaterThanMax, code: "MC2009", group: "relationships",
        title: "the minimum count of a relationship exceeds its maximum count",
        explanation: """
            No number of objects satisfies both limits, so an object can never be saved.
            """,
        remedy: "Correct one of the counts.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships {
                guard let minimum = relationship.minimumCount, let maximum = relationship.maximumCount,
                    maximum > 0, minimum > maximum
                else { continue }
                report(
                    RuleFinding(
                        "“\(entity.name).\(relationship.name)” requires at least \(minimum) objects but allows at most "
                            + "\(maximum)",
                        at: relationship.origin, attribute: "minCount", inspectorField: "Count",
                        why: "No object of “\(entity.name)” can be saved.", help: "Correct one of the counts."))
            }
        }
    }
}
