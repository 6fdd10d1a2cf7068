internal import Diagnostics
internal import ModelSchema

/// Validates every name that generated files use, so that none can inject a path or a line of code. An invalid name is
/// an error at its location.
struct NameCheck {
    let model: Model
    let source: GenerationSource
    /// Whether generated code uses the names of fetched properties, for properties or cases of an enumeration.
    var usesFetchedProperties = false

    /// Returns the finding about a model name that no file can have.
    static func invalidModelName(_ source: GenerationSource, _ model: Model) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidName, "the model name “\(source.modelName)” is not a valid file name",
            at: model.origin,
            why: "It has control characters or a slash, or begins with a dot.", help: "Rename the model.")
    }

    /// Returns the findings about the names that the files of these entities use.
    func findings(entities: [Entity], makesModelFile: Bool) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        if makesModelFile || !entities.isEmpty, !Self.isFileName(source.modelName) || !Self.isFileName(source.fileName)
        {
            findings.append(Self.invalidModelName(source, model))
        }
        let byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        var checkedClasses: Set<String> = []
        for entity in entities {
            if !entity.name.isEmpty, !SwiftIdentifier.isValid(entity.name) {
                findings.append(
                    invalid("the entity name “\(entity.name)” is not an identifier", entity.origin, attribute: "name"))
            }
            checkClass(of: entity, &checkedClasses, &findings)
            if let parent = entity.parentName.flatMap({ byName[$0] }) {
                checkClass(of: parent, &checkedClasses, &findings)
            }
            checkProperties(of: entity, &findings)
            for relationship in entity.relationships {
                if let destination = relationship.destinationName.flatMap({ byName[$0] }) {
                    checkClass(of: destination, &checkedClasses, &findings)
                }
            }
        }
        return findings
    }

    private func checkClass(of entity: Entity, _ checked: inout Set<String>, _ findings: inout [ModelFinding]) {
        let className = entity.className
        guard className.isCustom, checked.insert(entity.name).inserted else { return }
        if !SwiftIdentifier.isValid(className.name) {
            findings.append(
                invalid(
                    "the class name “\(className.name)” of “\(entity.name)” is not an identifier", entity.origin,
                    attribute: "representedClassName"))
        } else if SwiftIdentifier.isKeyword(className.name) {
            findings.append(
                invalid(
                    "the class name “\(className.name)” of “\(entity.name)” is a keyword of Swift", entity.origin,
                    attribute: "representedClassName"))
        }
    }

    private func checkProperties(of entity: Entity, _ findings: inout [ModelFinding]) {
        let fetched = usesFetchedProperties ? entity.fetchedProperties.map { ($0.name, $0.origin) } : []
        let names =
            entity.attributes.map { ($0.name, $0.origin) } + entity.relationships.map { ($0.name, $0.origin) } + fetched
        // A missing name is reported as a structural error.
        for (name, origin) in names where !name.isEmpty {
            if !SwiftIdentifier.isValid(name) {
                findings.append(
                    invalid(
                        "the property name “\(entity.name).\(name)” is not an identifier", origin, attribute: "name"))
            } else if SwiftIdentifier.needsBackquotes(name) {
                let isKeyword = SwiftIdentifier.isKeyword(name)
                findings.append(
                    ModelFinding(
                        .note, rule: .keywordName,
                        isKeyword
                            ? "“\(entity.name).\(name)” is a keyword of Swift and is declared in backticks"
                            : "“\(entity.name).\(name)” has a name that Swift reserves and is declared in backticks",
                        at: origin, attribute: "name",
                        why: isKeyword
                            ? "Xcode does the same; code may need the backticks too."
                            : "Xcode's code does not compile; code has to use the backticks too."))
            }
        }
        for attribute in entity.attributes {
            guard let type = attribute.customType, !SwiftTypeSyntax.isType(type) else { continue }
            findings.append(
                ModelFinding(
                    .error, rule: .invalidType,
                    "the custom class “\(type)” of “\(entity.name).\(attribute.name)” is not a Swift type",
                    at: attribute.origin, attribute: "customClassName",
                    why: "It is copied into the generated code.",
                    help: "Specify a type (Attribute ▸ Data Model inspector ▸ Custom Class)."))
        }
    }

    private func invalid(_ message: String, _ origin: ElementOrigin?, attribute: String) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidName, message, at: origin, attribute: attribute,
            why: "Names become Swift declarations and file names.",
            help: "Use letters, digits and underscores, beginning with a letter.")
    }

    /// Returns whether a text can be part of a file name and of a comment line.
    static func isFileName(_ text: String) -> Bool {
        guard !text.isEmpty, !text.hasPrefix(".") else { return false }
        return !text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
            default: scalar == "/" || scalar == "\\" || scalar == ":"
            }
        }
    }
}
