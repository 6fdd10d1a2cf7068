internal import Diagnostics
internal import ModelSchema

/// Reports entities that are not referred to.
struct UnusedEntityRule: LintRule {
    let description = RuleDescription(
        id: .unusedEntity, code: "MC5003", group: "entities",
        title: "nothing in the model or its classes refers to an entity",
        explanation: """
            An entity without a class, relationships, fetch requests, parent or children is often a leftover. Off by \
            default, because code may use it by name.
            """,
        remedy: "Remove it, if no code uses it by name. Removing an entity requires a migration.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var used: Set<String> = []
        for entity in context.entities {
            for relationship in entity.relationships {
                if let name = relationship.destinationName { used.insert(name) }
            }
            for fetched in entity.fetchedProperties {
                if let name = fetched.fetchRequest?.entityName { used.insert(name) }
            }
            if let parent = entity.parentName { used.insert(parent) }
        }
        for request in context.model.fetchRequests {
            if let name = request.entityName { used.insert(name) }
        }
        for entity in context.entities
        where !used.contains(entity.name) && entity.relationships.isEmpty && entity.parentName == nil
            && !entity.className.isCustom
        {
            report(
                RuleFinding(
                    "“\(entity.name)” is not referenced by the rest of the model", at: entity.origin, attribute: "name",
                    why: "It may be unused.", help: "Remove it, if no code uses it by name."))
        }
    }
}
