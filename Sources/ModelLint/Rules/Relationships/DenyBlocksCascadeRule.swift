internal import Diagnostics
internal import ModelSchema

/// Reports cascades that a Deny rule of the inverse prevents.
struct DenyBlocksCascadeRule: LintRule {
    let description = RuleDescription(
        id: .denyBlocksCascade, code: "MC2007", group: "relationships",
        title: "a cascade reaches an entity whose inverse denies deletion",
        explanation: """
            Deleting an object deletes the objects of a Cascade relationship with it. If the inverse relationship has the \
            delete rule Deny, none of them can be deleted while it still has an owner, so the whole save fails with error \
            1600.
            """,
        remedy: "Choose Nullify for the inverse of a cascading relationship.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                guard let (inverse, owner) = context.inverse(of: relationship), inverse.deleteRule == .deny else {
                    continue
                }
                var finding = RuleFinding(
                    "“\(owner.name).\(inverse.name)” denies the deletion that “\(entity.name).\(relationship.name)” cascades",
                    at: inverse.origin, attribute: "deletionRule", inspectorField: "Delete Rule",
                    why: "Deleting a “\(entity.name)” that has any of them fails when it is saved.",
                    help: "Choose Nullify here, or another rule there.",
                    fix: RuleFinding.Fix(
                        "Set the delete rule to Nullify", safety: .unsafe, attributes: [("deletionRule", "Nullify")]))
                finding.related = [("the cascade comes from here", relationship.origin, "deletionRule")]
                report(finding)
            }
        }
    }
}
