internal import Diagnostics
internal import ModelSchema

/// Properties begin with a lower-case letter.
struct PropertyNameCaseRule: LintRule {
    let description = RuleDescription(
        id: .propertyNameCase, code: "MC6002", group: "naming",
        title: "the name of a property begins with an upper-case letter",
        explanation: """
            Core Data makes the names of accessors from the name of a property: `setTitle:`, `addTitleObject:`. `Title` and \
            `title` give the same ones, so that Xcode's editor refuses names that begin with an upper-case letter.
            """,
        remedy: "Rename the property, with a renaming identifier for migration.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for (name, origin) in entity.namedProperties {
                // The properties of characters that are no ASCII are a slow table.
                if let byte = name.utf8.first, byte < 0x80, byte > UInt8(ascii: "Z") || byte < UInt8(ascii: "A") {
                    continue
                }
                var scalars = name.unicodeScalars.makeIterator()
                guard let first = scalars.next(), first.properties.isUppercase else { continue }
                // `URL`, `ISBNNumber`: a word that is written in capitals has no other spelling.
                if let second = scalars.next(), second.properties.isUppercase { continue }
                report(
                    RuleFinding(
                        "the property “\(entity.name).\(name)” begins with an upper-case letter", at: origin,
                        attribute: "name", inspectorField: "Name",
                        why: "Core Data's accessors cannot tell it from the same name in lower case.",
                        help: "Rename it, and set the renaming identifier to the old name."))
            }
        }
    }
}

extension Entity {
    /// The names of its own properties with their places.
    var namedProperties: [(name: String, origin: ElementOrigin?)] {
        attributes.map { ($0.name, $0.origin) } + relationships.map { ($0.name, $0.origin) }
            + fetchedProperties.map { ($0.name, $0.origin) }
    }
}
