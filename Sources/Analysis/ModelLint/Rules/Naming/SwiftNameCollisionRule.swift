internal import Diagnostics
internal import ModelSchema

/// Reports classes with the name of a type of Swift or Foundation.
struct SwiftNameCollisionRule: LintRule {
    let description = RuleDescription(
        id: .nameCollisionSwift, code: "MC6004", group: "naming",
        title: "a class has the name of a type of Swift or Foundation",
        explanation: """
            Within its module, the entity's class shadows the type: `Data`, `Set` or `Error` then mean a managed \
            object, also in the code that Xcode generates for other entities. In other modules the name is ambiguous. Not \
            reported for classes of Objective-C: all of a model whose language is Objective-C, and handwritten ones without \
            a module, unless the sources declare them (`--sources`).
            """,
        remedy:
            "Choose another class name (Entity ▸ Data Model inspector ▸ Class ▸ Name); the entity can keep its name.",
        defaultSeverity: .warning)

    /// Types that nearly every file uses. Names such as `Item`, `Tag` or `Group` do not collide with Foundation.
    static let names: Set = [
        "Any", "Array", "Bool", "Bundle", "Calendar", "Character", "Data", "Date", "Decimal", "Dictionary", "Double",
        "Error", "Float", "Formatter", "Identifiable", "Int", "Int16", "Int32", "Int64", "Locale", "Never",
        "Notification", "NSSet", "NSOrderedSet", "Operation", "Optional", "Process", "Progress", "Result", "Scanner",
        "Sequence", "Set",
        "String", "Substring", "Task", "Thread", "TimeZone", "Timer", "UUID", "URL", "Void",
    ]

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.model.settings.sourceLanguage != "Objective-C" else { return }
        for entity in context.entities
        where entity.className.isCustom && Self.names.contains(entity.className.name) && !isObjectiveC(entity, context)
        {
            report(
                RuleFinding(
                    "the class “\(entity.className.name)” of “\(entity.name)” shadows a Swift or Foundation type",
                    at: entity.origin, attribute: "representedClassName", inspectorField: "Class ▸ Name",
                    why: "Code in the module that refers to that type gets the managed object class instead.",
                    help: "Choose another class name; the entity can keep its name."))
        }
    }

    /// Returns whether the entity's class is only known to Objective-C. A class of Swift that is not generated is found
    /// by its module, unless it has an Objective-C name, which only the sources tell.
    private func isObjectiveC(_ entity: Entity, _ context: LintContext) -> Bool {
        guard entity.className.module == .none else { return false }
        switch entity.codeGeneration {
        case .classDefinition: return false
        case .manual, .category, .unknown: return context.sourceClasses?.declarations[entity.className.name] == nil
        }
    }
}
