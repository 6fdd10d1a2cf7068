internal import Diagnostics
internal import ModelSchema

/// Two entities with one class.
struct DuplicateClassRule: LintRule {
    let description = RuleDescription(
        id: .duplicateClass, code: "MC5004", group: "entities", title: "two entities have the same class",
        explanation: """
            `Book(context:)` and `Book.fetchRequest()` ask Core Data for the entity of their class. With two of them it cannot \
            tell, logs “Multiple NSEntityDescriptions claim the NSManagedObject subclass”, and `+entity` fails. A class that \
            is shared by entities on purpose cannot be used that way.
            """,
        remedy: "Give each entity a class of its own.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var owners: [String: Entity] = [:]
        for entity in context.entities where entity.className.isCustom {
            guard let other = owners.updateValue(entity, forKey: entity.className.text) else { continue }
            // Subentities that share the class of their parent do so on purpose.
            let isFamily =
                context.isSameOrAncestor(other.name, of: entity.name)
                || context.isSameOrAncestor(entity.name, of: other.name)
            guard !isFamily else { continue }
            var finding = RuleFinding(
                "“\(entity.name)” has the class “\(entity.className.name)”, which “\(other.name)” has too",
                at: entity.origin, attribute: "representedClassName", inspectorField: "Class ▸ Name",
                why: "Core Data cannot tell which entity `\(entity.className.name)(context:)` means.",
                help: "Give each entity a class of its own.")
            finding.related = [("the other entity is here", other.origin, "representedClassName")]
            report(finding)
        }
    }
}
