internal import Diagnostics
internal import ModelSchema

/// Reports uniqueness constraints that refer to an unknown property or one that cannot be unique.
struct ConstraintUnknownAttributeRule: LintRule {
    let description = RuleDescription(
        id: .constraintUnknownAttribute, code: "MC4006", group: "indexes",
        title: "a uniqueness constraint refers to a property that the entity does not have, or that cannot be unique",
        explanation: """
            Core Data raises an exception when it loads a store whose constraint names a property that does not exist, or \
            one without its own column: a transient or derived attribute, or a to-many relationship.
            """,
        remedy: "Correct the name, or remove the constraint.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for constraint in entity.uniquenessConstraints {
                for mention in constraint.properties where !mention.name.isEmpty {
                    let problem: String
                    switch context.property(atPath: mention.name, of: entity) {
                    case nil: problem = "which “\(entity.name)” does not have"
                    case .attribute(let attribute) where attribute.isTransient: problem = "which is transient"
                    case .relationship(let relationship) where relationship.isToMany:
                        problem = "which is a to-many relationship"
                    case .fetched: problem = "which is a fetched property"
                    case .attribute, .relationship: continue
                    }
                    report(
                        RuleFinding(
                            "a uniqueness constraint of “\(entity.name)” names “\(mention.name)”, \(problem)",
                            at: mention.origin, attribute: "value", inspectorField: "Constraints",
                            why: "Core Data fails to load the store.",
                            help: "Correct the name, or remove the constraint."))
                }
            }
        }
    }
}
