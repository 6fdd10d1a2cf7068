internal import Diagnostics
internal import ModelSchema

/// Reports uniqueness constraints on relationships.
struct ConstraintOnRelationshipRule: LintRule {
    let description = RuleDescription(
        id: .constraintOnRelationship, code: "MC4007", group: "indexes",
        title: "a uniqueness constraint contains a relationship",
        explanation: """
            Apple documents constraints for attributes. How merge policies resolve a conflict over a relationship is not \
            documented, and modelc knows no store that shows it.
            """,
        remedy: "Constrain an attribute that identifies the object at the other end.", defaultSeverity: .note)

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
                            why: "How merge policies resolve a conflict over it is not documented.",
                            help: "Constrain an attribute that identifies the object at the other end."))
                }
            }
        }
    }
}
