internal import Diagnostics
internal import ModelSchema

/// Reports abstract entities without subentities, which can have no objects.
struct AbstractWithoutChildrenRule: LintRule {
    let description = RuleDescription(
        id: .abstractWithoutChildren, code: "MC5001", group: "entities",
        title: "an abstract entity has no subentities",
        explanation: """
            An abstract entity without subentities can never have objects: inserting one raises an exception.
            """,
        remedy: "Remove the entity, or make it concrete.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities where entity.isAbstract && context.childNames[entity.name] == nil {
            report(
                RuleFinding(
                    "“\(entity.name)” is abstract, and no entity inherits from it", at: entity.origin,
                    attribute: "isAbstract", inspectorField: "Abstract Entity",
                    why: "It can never be instantiated.", help: "Remove it, or make it concrete."))
        }
    }
}
