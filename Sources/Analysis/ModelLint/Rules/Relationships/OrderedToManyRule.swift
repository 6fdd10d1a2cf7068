internal import Diagnostics
internal import ModelSchema

/// Reports ordered relationships, which have hidden costs.
struct OrderedToManyRule: LintRule {
    let description = RuleDescription(
        id: .orderedToMany, code: "MC2008", group: "relationships", title: "a to-many relationship is ordered",
        explanation: """
            Ordered relationships are slower to change, cannot be synchronized with CloudKit, and merge badly: of two \
            changes to the order, only one survives. An attribute with the position often serves better. Off by \
            default.
            """,
        remedy: "Use an attribute for the position and sort by it.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships where relationship.isOrdered && relationship.isToMany {
                report(
                    RuleFinding(
                        "“\(entity.name).\(relationship.name)” is ordered", at: relationship.origin,
                        attribute: "ordered", inspectorField: "Arrangement",
                        why: "Ordered relationships are slow to change and cannot be synchronized with CloudKit.",
                        help: "Sort by an attribute instead."))
            }
        }
    }
}
