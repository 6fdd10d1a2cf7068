internal import Diagnostics
internal import ModelSchema

/// Reports relationships to an entity in another store.
struct CrossConfigurationRelationshipRule: LintRule {
    let description = RuleDescription(
        id: .crossConfigurationRelationship, code: "MC2010", group: "relationships",
        title: "a relationship points to an entity of another configuration",
        explanation: """
            Configurations assign entities to different stores, and a relationship cannot cross stores: saving fails. \
            The problem is hidden as long as the app keeps everything in one store with the default configuration.
            """,
        remedy: "Put both entities into one configuration, or replace the relationship with a fetched property.",
        defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var memberships: [String: Set<String>] = [:]
        for configuration in context.model.configurations {
            for member in configuration.members {
                memberships[member.entityName, default: []].insert(configuration.name)
            }
        }
        guard context.model.configurations.count > 1 else { return }
        for entity in context.entities {
            guard let own = memberships[entity.name] else { continue }
            for relationship in entity.relationships {
                guard let destination = relationship.destinationName, let other = memberships[destination],
                    own.isDisjoint(with: other)
                else { continue }
                let (first, second) = (own.sorted().joined(separator: ", "), other.sorted().joined(separator: ", "))
                report(
                    RuleFinding(
                        "“\(entity.name).\(relationship.name)” leads from the configuration “\(first)” to “\(second)”",
                        at: relationship.origin, attribute: "destinationEntity",
                        why: "A relationship cannot lead from one store to another.",
                        help: "Put both entities into one configuration, or use a fetched property."))
            }
        }
    }
}
