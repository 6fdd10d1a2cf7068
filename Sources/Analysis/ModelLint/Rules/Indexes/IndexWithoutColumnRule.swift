internal import Diagnostics
internal import ModelSchema

/// Reports indexes on properties that are not stored in the entity's table.
struct IndexWithoutColumnRule: LintRule {
    let description = RuleDescription(
        id: .indexWithoutColumn, code: "MC4009", group: "indexes",
        title: "an index contains a to-many relationship, a transient attribute or a fetched property",
        explanation: """
            The table of an entity has no column for such a property: a to-many relationship is stored in the table of its \
            destination or in a join table, which Core Data indexes automatically, and transient and fetched properties are \
            not stored at all. Apple's compiler accepts the index, and the app works, but the index does not speed up any \
            fetch.
            """,
        remedy: "Remove the property from the index.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for mention in IndexMention.all(in: context.lookup) {
            let problem: String
            switch mention.property {
            case .attribute(let attribute)? where attribute.isTransient: problem = "the transient attribute"
            case .relationship(let relationship)? where relationship.isToMany: problem = "the to-many relationship"
            case .fetched?: problem = "the fetched property"
            case nil, .attribute, .relationship: continue
            }
            report(
                RuleFinding(
                    "\(mention.index) of “\(mention.entity.name)” contains \(problem) “\(mention.name)”",
                    at: mention.origin, attribute: mention.attribute,
                    why: "The entity's table has no column for it, so the index has no effect.",
                    help: "Remove it from the index."))
        }
    }
}
