internal import Diagnostics
internal import ModelSchema

/// Reports handwritten classes that are missing from the sources.
struct ClassMissingRule: LintRule {
    let description = RuleDescription(
        id: .classMissing, code: "MC8002", group: "sources",
        title: "the sources lack a class that is not generated",
        explanation: """
            With the codegen mode Category/Extension, the properties are generated as an extension of a handwritten \
            class. Without that class the extension does not compile. Checked only with `--sources`, and not for models whose \
            language is Objective-C: their classes need not be among the Swift sources.
            """,
        remedy: "Write the class, or choose Class Definition for the entity.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent, context.model.settings.sourceLanguage != "Objective-C",
            let sources = context.sourceClasses, sources.isNamed
        else { return }
        for entity in context.entities where entity.codeGeneration == .category && entity.className.isCustom {
            guard sources.declarations[entity.className.name] == nil else { continue }
            report(
                RuleFinding(
                    "the class “\(entity.className.name)” of “\(entity.name)” is not in the sources, and not generated",
                    at: entity.origin, attribute: "codeGenerationType", inspectorField: "Codegen",
                    why: "The generated extension does not compile without it.",
                    help: "Write the class, or choose Class Definition.",
                    fix: RuleFinding.Fix(
                        "Set Codegen to Class Definition", safety: .unsafe,
                        attributes: [("codeGenerationType", "class")])))
        }
    }
}
