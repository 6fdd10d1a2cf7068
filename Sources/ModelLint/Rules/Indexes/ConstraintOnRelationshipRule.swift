internal import Diagnostics
internal import ModelSchema

/// Reports uniqueness constraints on relationships.
struct ConstraintOnRelationshipRule: LintRule {
    let description = RuleDescription(
        id: .constraintOnRelationship, code: "MC4007", group: "indexes",
        title: "a uniqueness constraint contains a relationship",
        explanation: """
            Constraints are meant for attributes. If a constraint contains a relationship, merge policies cannot \
            resolve conflicts: they compare snapshots of attributes, and it is undefined which object keeps the \
            relationship.
            """,
        remedy: "Constrain an attribute that identifies the object at the other end.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for constraint in entity.uniquenessConstraints {
                for mention in constraint.properties {
                    guard case .relationship(let relationship)? = context.lookup.property(mention.name, of: entity),
                        !relationship.isToMany
                    else { continue }
                    report(
                        RuleFinding(
                            "a uniqueness constraint of “\(entity.name)” names the relationship “\(mention.name)”",
                            at: mention.origin, attribute: "value", inspectorField: "Constraints",
                            why: "Merge policies cannot settle a conflict over it.",
                            help: "Constrain an attribute that identifies the object at the other end."))
                }
            }
        }
    }
}
