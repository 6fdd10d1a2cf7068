internal import Diagnostics
internal import ModelSchema

/// An index names what is not there.
struct IndexOnUnknownPropertyRule: LintRule {
    let description = RuleDescription(
        id: "index-on-unknown-property", code: "MC4004", group: "indexes",
        title: "an index names a property that the entity does not have, or that is not saved",
        explanation:
            "Apple's compiler stops at an index of a property that does not exist; a transient one has no column.",
        remedy: "Correct the name, or remove the column from the index.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for index in entity.fetchIndexes {
                for element in index.elements {
                    guard let name = element.propertyName, !name.isEmpty else { continue }
                    check(name, entity, "the fetch index “\(index.name)”", element.origin, "property", context, report)
                }
            }
            for index in entity.compoundIndexes {
                for mention in index.properties {
                    for name in mention.name.split(separator: ",") {
                        check(
                            String(name), entity, "a compound index", mention.origin, "value", context, report)
                    }
                }
            }
        }
    }

    private func check(
        _ name: String, _ entity: Entity, _ index: String, _ origin: ElementOrigin?, _ attribute: String,
        _ context: LintContext, _ report: (RuleFinding) -> Void
    ) {
        // An index may reach into a composite: `address.city`.
        let head = name.split(separator: ".").first.map(String.init) ?? name
        let problem: String
        switch context.property(head, of: entity) {
        case nil: problem = "“\(name)”, which “\(entity.name)” does not have"
        case .attribute(let attribute) where attribute.isTransient: problem = "“\(name)”, which is transient"
        case .relationship(let relationship) where relationship.isToMany:
            problem = "“\(name)”, which is a to-many relationship"
        case .fetched: problem = "“\(name)”, which is a fetched property"
        case .attribute, .relationship: return
        }
        report(
            RuleFinding(
                "\(index) of “\(entity.name)” names \(problem)", at: origin, attribute: attribute,
                why: "The store has no column for it.", help: "Correct the name, or remove it from the index."))
    }
}
