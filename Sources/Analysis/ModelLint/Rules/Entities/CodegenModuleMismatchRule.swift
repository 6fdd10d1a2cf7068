internal import Diagnostics
internal import ModelSchema

/// Reports generated classes whose names differ from those that the model expects.
struct CodegenModuleMismatchRule: LintRule {
    let description = RuleDescription(
        id: .codegenModuleMismatch, code: "MC5005", group: "entities",
        title: "Xcode generates a class under another name than the model expects",
        explanation: """
            A class name without a module (`Book`) is looked up under its Objective-C name; with a leading dot (Current \
            Product Module) in the app's own module; with an explicit module, in that module. A class that Xcode generates \
            belongs to the target that compiles the model, so an explicit module works only as long as no other target \
            compiles the model: tests and extensions then get plain `NSManagedObject`s.
            """,
        remedy: "Choose Current Product Module (Entity ▸ Data Model inspector ▸ Class ▸ Module).",
        defaultSeverity: .warning, fix: .unsafe)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            guard entity.codeGeneration == .classDefinition, case .named(let module) = entity.className.module else {
                continue
            }
            report(
                RuleFinding(
                    "the class of “\(entity.name)” is generated, but looked up in the module “\(module)”",
                    at: entity.origin, attribute: "representedClassName", inspectorField: "Class ▸ Module",
                    why: "Other targets that compile the model get plain NSManagedObject instances.",
                    help: "Choose Current Product Module.",
                    fix: RuleFinding.Fix(
                        "Use the current product module", safety: .unsafe,
                        attributes: [("representedClassName", "." + entity.className.name)])))
        }
    }
}
