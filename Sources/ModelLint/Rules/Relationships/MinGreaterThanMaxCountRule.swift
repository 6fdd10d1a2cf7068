internal import Diagnostics
internal import ModelSchema

/// A relationship that can never be valid.
struct MinGreaterThanMaxCountRule: LintRule {
    let description = RuleDescription(
        id: .minCountGreaterThanMax, code: "MC2009", group: "relationships",
        title: "the smallest count of a relationship is greater than the largest",
        explanation: "No number of objects meets both limits, so that no object can ever be saved.",
        remedy: "Correct one of the counts.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships {
                guard let minimum = relationship.minimumCount, let maximum = relationship.maximumCount,
                    maximum > 0, minimum > maximum
                else { continue }
                report(
                    RuleFinding(
                        "“\(entity.name).\(relationship.name)” needs at least \(minimum) objects and takes at most "
                            + "\(maximum)",
                        at: relationship.origin, attribute: "minCount", inspectorField: "Count",
                        why: "No object of “\(entity.name)” can be saved.", help: "Correct one of the counts."))
            }
        }
    }
}
