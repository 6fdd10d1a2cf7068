internal import Diagnostics
internal import ModelSchema

/// Reports entities that share a class.
struct DuplicateClassRule: LintRule {
    let description = RuleDescription(
        id: .duplicateClass, code: "MC5004", group: "entities", title: "two entities have the same class",
        explanation: """
            `Book(context:)` and `Book.fetchRequest()` look up the entity of their class. If two entities share it, \
            Core Data logs “Multiple NSEntityDescriptions claim the NSManagedObject subclass”, and `+entity` fails. \
            Entities that share a class on purpose cannot use these methods.
            """,
        remedy: "Give each entity its own class.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var owners: [String: Entity] = [:]
        for entity in context.entities where entity.className.isCustom {
            guard let other = owners.updateValue(entity, forKey: entity.className.text) else { continue }
            // Subentities may share the class of their parent deliberately.
            let isFamily =
                context.lookup.isSameOrAncestor(other.name, of: entity.name)
                || context.lookup.isSameOrAncestor(entity.name, of: other.name)
            guard !isFamily else { continue }
            var finding = RuleFinding(
                "“\(entity.name)” has the same class as “\(other.name)”: “\(entity.className.name)”",
                at: entity.origin, attribute: "representedClassName", inspectorField: "Class ▸ Name",
                why: "Core Data cannot tell which entity `\(entity.className.name)(context:)` means.",
                help: "Give each entity its own class.")
            finding.related = [("the other entity is here", other.origin, "representedClassName")]
            report(finding)
        }
    }
}
