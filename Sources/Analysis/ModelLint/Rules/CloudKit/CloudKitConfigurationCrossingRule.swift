internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports relationships that cross the boundary of a CloudKit configuration.
struct CloudKitConfigurationCrossingRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitConfigurationCrossing, code: "MC9009", group: "cloudkit",
        title: "a relationship crosses the boundary of a configuration that is used with CloudKit",
        explanation: """
            A configuration used with CloudKit is a separate store. Its entities must not have relationships to entities \
            outside of it, because the store does not contain them.
            """,
        remedy: "Add the other entity to the configuration, or replace the relationship with a fetched property.",
        defaultSeverity: .error, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for configuration in context.mirrored?.configurations ?? [] {
            let members = Set(configuration.members.map(\.entityName))
            let trees = InheritanceTrees(context.entities.filter { members.contains($0.name) }, in: context.model)
            for entity in trees.trees.flatMap(\.members) {
                for relationship in entity.relationships where !relationship.isTransient {
                    guard let name = relationship.destinationName, let destination = context.entitiesByName[name],
                        !trees.contains(name),
                        !context.lookup.lineage(of: destination).contains(where: { members.contains($0.name) })
                    else { continue }
                    report(
                        RuleFinding(
                            "“\(entity.name).\(relationship.name)” has the destination “\(name)”, which is not in the "
                                + "configuration “\(configuration.name)”",
                            at: relationship.origin, attribute: "destinationEntity", inspectorField: "Destination",
                            why: "The configuration is used with CloudKit, and its store does not have “\(name)”.",
                            help: "Add “\(name)” to the configuration, or use a fetched property."))
                }
            }
        }
    }
}
