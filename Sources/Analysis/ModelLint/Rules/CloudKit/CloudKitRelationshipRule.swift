internal import Diagnostics
internal import ModelSchema

/// Reports relationships that do not meet CloudKit's requirements.
struct CloudKitRelationshipRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitRelationship, code: "MC9004", group: "cloudkit",
        title: "a relationship of CloudKit is required, ordered, without inverse, or denies deletion",
        explanation: """
            Objects arrive one at a time, so relationships must be optional. CloudKit keeps no order, needs the inverse to \
            restore the other end, and cannot deny a deletion that another device made. A store that violates one of these \
            rules does not load.
            """,
        remedy: """
            Make the relationship optional and unordered, give it an inverse, and choose a delete rule other than Deny.
            """,
        defaultSeverity: .error, fix: .unsafe, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        let why = "CloudKit does not support it: the store does not load."
        for entity in context.cloudKitEntities {
            for relationship in entity.relationships where !relationship.isTransient {
                let path = "“\(entity.name).\(relationship.name)”"
                if !relationship.isOptional {
                    report(
                        RuleFinding(
                            "\(path) is required", at: relationship.origin, attribute: "name",
                            inspectorField: "Optional", why: why, help: "Make it optional.",
                            fix: RuleFinding.Fix(
                                "Make the relationship optional", safety: .unsafe, attributes: [("optional", "YES")])))
                }
                if relationship.isOrdered && relationship.isToMany {
                    report(
                        RuleFinding(
                            "\(path) is ordered", at: relationship.origin, attribute: "ordered",
                            inspectorField: "Arrangement", why: why, help: "Sort by an attribute instead.",
                            fix: RuleFinding.Fix(
                                "Make the relationship unordered", safety: .unsafe, attributes: [("ordered", nil)])))
                }
                if (relationship.inverseName ?? "").isEmpty {
                    report(
                        RuleFinding(
                            "\(path) has no inverse", at: relationship.origin, attribute: "name",
                            inspectorField: "Inverse", why: why, help: "Add an inverse and choose it."))
                }
                if relationship.deleteRule == .deny {
                    report(
                        RuleFinding(
                            "\(path) has the delete rule Deny", at: relationship.origin, attribute: "deletionRule",
                            inspectorField: "Delete Rule", why: why, help: "Choose Nullify or Cascade.",
                            fix: RuleFinding.Fix(
                                "Set the delete rule to Nullify", safety: .unsafe,
                                attributes: [("deletionRule", "Nullify")])))
                }
            }
        }
    }
}
