internal import Diagnostics
internal import ModelSchema

/// Entities begin with an upper-case letter.
struct EntityNameCaseRule: LintRule {
    let description = RuleDescription(
        id: .entityNameCase, code: "MC6001", group: "naming",
        title: "the name of an entity does not begin with an upper-case letter",
        explanation: """
            Entities are named as classes are. Xcode's editor refuses other names, but files that were edited or generated \
            have them, and the generated class begins with a lower-case letter too.
            """,
        remedy: "Rename the entity, with a renaming identifier for migration.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            guard let first = entity.name.unicodeScalars.first, first.properties.isLowercase else { continue }
            report(
                RuleFinding(
                    "the entity “\(entity.name)” does not begin with an upper-case letter", at: entity.origin,
                    attribute: "name", inspectorField: "Name", why: "Its class looks like a variable.",
                    help: "Rename it, and set the renaming identifier to the old name."))
        }
    }
}
