internal import Diagnostics
internal import ModelSchema

/// Reports many-to-many relationships whose delete rule deletes shared objects.
struct CascadeManyToManyRule: LintRule {
    let description = RuleDescription(
        id: .cascadeToManyToMany, code: "MC2006", group: "relationships",
        title: "a many-to-many relationship has the delete rule Cascade",
        explanation: """
            The destination objects of a many-to-many relationship can belong to several objects. With Cascade, deleting one \
            owner deletes the shared objects of all the others: removing a playlist removes its songs from every playlist.
            """,
        remedy: "Choose Nullify, and delete unreferenced objects in code.", defaultSeverity: .warning
    )

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships
            where relationship.deleteRule == .cascade && relationship.isToMany {
                guard let (inverse, owner) = context.lookup.inverse(of: relationship), inverse.isToMany,
                    inverse.deleteRule != .cascade
                else { continue }
                report(
                    RuleFinding(
                        "“\(entity.name).\(relationship.name)” cascades to objects that others share through "
                            + "“\(owner.name).\(inverse.name)”",
                        at: relationship.origin, attribute: "deletionRule", inspectorField: "Delete Rule",
                        why: "Deleting one “\(entity.name)” deletes objects that other objects still use.",
                        help: "Choose Nullify.",
                        fix: RuleFinding.Fix(
                            "Set the delete rule to Nullify", safety: .unsafe,
                            attributes: [("deletionRule", "Nullify")])))
            }
        }
    }
}
