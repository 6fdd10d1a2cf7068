internal import Diagnostics
internal import ModelSchema

/// Reports relationships whose `inverseEntity` is not the destination.
struct InverseDestinationMismatchRule: LintRule {
    let description = RuleDescription(
        id: .inverseDestinationMismatch, code: "MC2003", group: "relationships",
        title: "the inverse entity of a relationship is not its destination",
        explanation: """
            Xcode writes the entity of the inverse beside its name, and it is always the destination. A different entity \
            results from manual editing or a merge. Apple's compiler accepts the model and looks for the inverse in the \
            destination; if the destination does not have it, the relationship is compiled without an inverse, and Core Data \
            keeps only one end up to date.
            """,
        remedy: "Choose the destination and then the inverse again.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships {
                guard let inverseEntity = relationship.inverseEntityName, !inverseEntity.isEmpty,
                    let destinationName = relationship.destinationName, inverseEntity != destinationName
                else { continue }
                // An inherited inverse may name the ancestor that declares it.
                if context.lookup.isSameOrAncestor(inverseEntity, of: destinationName) { continue }
                report(
                    RuleFinding(
                        "the inverse of “\(entity.name).\(relationship.name)” is declared in “\(inverseEntity)”, "
                            + "but the destination is “\(destinationName)”",
                        at: relationship.origin, attribute: "inverseEntity", inspectorField: "Inverse",
                        why:
                            "Core Data looks for the inverse in the destination; without one, it updates one end only.",
                        help: "Choose the destination and then the inverse again."))
            }
        }
    }
}
