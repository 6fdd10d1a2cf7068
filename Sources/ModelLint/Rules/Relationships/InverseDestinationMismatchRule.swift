internal import Diagnostics
internal import ModelSchema

/// `inverseEntity` is another entity than the destination.
struct InverseDestinationMismatchRule: LintRule {
    let description = RuleDescription(
        id: "inverse-destination-mismatch", code: "MC2003", group: "relationships",
        title: "the inverse is said to belong to another entity than the destination",
        explanation: """
            Xcode writes the entity of the inverse beside its name, and it is always the destination. Another entity comes \
            from editing by hand or from a merge; which of the two is meant, nobody can tell.
            """,
        remedy: "Choose the destination and then the inverse again.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships {
                guard let inverseEntity = relationship.inverseEntityName, !inverseEntity.isEmpty,
                    let destinationName = relationship.destinationName, inverseEntity != destinationName
                else { continue }
                // An inverse that the destination inherits may be said to belong to the ancestor.
                if let destination = context.entitiesByName[destinationName],
                    context.lineage(of: destination).contains(where: { $0.name == inverseEntity })
                {
                    continue
                }
                report(
                    RuleFinding(
                        "the inverse of “\(entity.name).\(relationship.name)” is said to be in “\(inverseEntity)”, "
                            + "but the destination is “\(destinationName)”",
                        at: relationship.origin, attribute: "inverseEntity", inspectorField: "Inverse",
                        why: "Only a relationship of the destination can lead back.",
                        help: "Choose the destination and then the inverse again."))
            }
        }
    }
}
