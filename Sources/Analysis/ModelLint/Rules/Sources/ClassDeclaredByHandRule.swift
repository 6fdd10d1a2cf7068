internal import Diagnostics
internal import ModelSchema

/// Reports generated classes that the sources also declare.
struct ClassDeclaredByHandRule: LintRule {
    let description = RuleDescription(
        id: .classDeclaredByHand, code: "MC8001", group: "sources",
        title: "the sources declare a class that is generated",
        explanation: """
            With the codegen mode Class Definition, Xcode and modelc's plugin generate the class. If the sources \
            declare it too, the build fails with “invalid redeclaration” or “multiple commands produce”, which do not \
            mention the model. Checked only with `--sources`. Files that modelc generated itself do not count.
            """,
        remedy: "Choose Category/Extension or Manual/None for the entity, or remove the class from the sources.",
        defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent, let sources = context.sourceClasses, sources.isNamed else { return }
        for entity in context.entities where entity.codeGeneration == .classDefinition && entity.className.isCustom {
            guard let declaration = sources.declarations[entity.className.name] else { continue }
            report(
                RuleFinding(
                    "the class “\(entity.className.name)” is generated for “\(entity.name)”, and declared in "
                        + "\(declaration.file):\(declaration.line)",
                    at: entity.origin, attribute: "codeGenerationType", inspectorField: "Codegen",
                    why: "The build fails with “invalid redeclaration”.",
                    help: "Choose Category/Extension or Manual/None, or remove the class from the sources.",
                    fix: RuleFinding.Fix(
                        "Set Codegen to Category/Extension", safety: .unsafe,
                        attributes: [("codeGenerationType", "category")])))
        }
    }
}
