internal import Diagnostics
internal import ModelSchema

/// Reports properties whose names start with an uppercase letter.
struct PropertyNameCaseRule: LintRule {
    let description = RuleDescription(
        id: .propertyNameCase, code: "MC6002", group: "naming",
        title: "the name of a property starts with an uppercase letter",
        explanation: """
            Core Data derives accessor names from property names: `setTitle:`, `addTitleObject:`. `Title` and `title` result \
            in the same accessors, so Xcode's editor rejects names that start with an uppercase letter.
            """,
        remedy: "Rename the property, with a renaming identifier for migration.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for (name, origin) in entity.propertyNames {
                // A fast path: Unicode properties are a slow table lookup.
                if let byte = name.utf8.first, byte < 0x80, byte > UInt8(ascii: "Z") || byte < UInt8(ascii: "A") {
                    continue
                }
                var scalars = name.unicodeScalars.makeIterator()
                guard let first = scalars.next(), first.properties.isUppercase else { continue }
                // Acronyms are accepted: `URL`, `ISBNNumber`.
                if let second = scalars.next(), second.properties.isUppercase { continue }
                report(
                    RuleFinding(
                        "the property “\(entity.name).\(name)” starts with an uppercase letter", at: origin,
                        attribute: "name", inspectorField: "Name",
                        why:
                            "Core Data's accessors cannot distinguish it from the same name with a lowercase first letter.",
                        help: "Rename it, and set the renaming identifier to the old name."))
            }
        }
    }
}
