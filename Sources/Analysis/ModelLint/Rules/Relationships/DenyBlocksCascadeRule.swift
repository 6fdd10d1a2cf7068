internal import Diagnostics
internal import ModelSchema

/// Reports cascades that a Deny rule of the inverse prevents.
struct DenyBlocksCascadeRule: LintRule {
    let description = RuleDescription(
        id: .denyBlocksCascade, code: "MC2007", group: "relationships",
        title: "a cascade reaches an entity whose inverse denies deletion",
        explanation: """
            Deleting an object deletes the objects of a Cascade relationship with it. With the delete rule Deny, an object is \
            not deleted as long as there is an object at the other end (error 1600), and here the object at the other end is the \
            owner. Apple documents Deny for objects that are deleted by themselves; whether an owner counts that is deleted in \
            the same save is not documented, and no file or log of Apple's shows it. modelc's runtime deletes both. The two rules \
            contradict each other in any case.
            """,
        remedy: "Choose Nullify for the inverse of a cascading relationship.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                guard let (inverse, owner) = context.lookup.inverse(of: relationship), inverse.deleteRule == .deny
                else {
                    continue
                }
                var finding = RuleFinding(
                    "“\(owner.name).\(inverse.name)” denies the deletion that “\(entity.name).\(relationship.name)” cascades",
                    at: inverse.origin, attribute: "deletionRule", inspectorField: "Delete Rule",
                    why: "Deleting a “\(entity.name)” that has any of them may fail when it is saved.",
                    help: "Choose Nullify here, or another rule there.",
                    fix: RuleFinding.Fix(
                        "Set the delete rule to Nullify", safety: .unsafe, attributes: [("deletionRule", "Nullify")]))
                finding.related = [("the cascade comes from here", relationship.origin, "deletionRule")]
                report(finding)
            }
        }
    }
}
