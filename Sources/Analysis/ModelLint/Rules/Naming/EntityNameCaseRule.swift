internal import Diagnostics
internal import ModelSchema

/// Reports entities whose names do not start with an uppercase letter.
struct EntityNameCaseRule: LintRule {
    let description = RuleDescription(
        id: .entityNameCase, code: "MC6001", group: "naming",
        title: "the name of an entity does not start with an uppercase letter",
        explanation: """
            Entities are named like classes. Xcode's editor rejects other names, but edited or generated files may \
            contain them, and the generated class then starts with a lowercase letter too.
            """,
        remedy: "Rename the entity, with a renaming identifier for migration.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            guard let first = entity.name.unicodeScalars.first, first.properties.isLowercase else { continue }
            report(
                RuleFinding(
                    "the entity “\(entity.name)” does not start with an uppercase letter", at: entity.origin,
                    attribute: "name", inspectorField: "Name", why: "Swift types start with an uppercase letter.",
                    help: "Rename it, and set the renaming identifier to the old name."))
        }
    }
}
