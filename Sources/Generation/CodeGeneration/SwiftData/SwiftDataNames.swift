internal import Diagnostics
internal import ModelSchema

/// Finds names in a model that SwiftData code cannot use.
enum SwiftDataNames {
    /// Returns errors about the names of a model.
    ///
    /// - Parameter isKnown: The names of the types that the generated files declare in addition to the entities.
    static func findings(_ model: Model, source: GenerationSource, isKnown generated: [String]) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        if !NameCheck.isFileName(source.modelName) || !NameCheck.isFileName(source.fileName) {
            findings.append(NameCheck.invalidModelName(source, model))
        }
        for entity in model.entities where !entity.name.isEmpty {
            if let finding = type("entity", name: entity.name, origin: entity.origin, generated: generated) {
                findings.append(finding)
            }
            findings += properties(of: entity)
        }
        for composite in model.composites where !composite.name.isEmpty {
            if let finding = type(
                "composite type", name: composite.name, origin: composite.origin, generated: generated)
            {
                findings.append(finding)
            }
            if model.entity(named: composite.name) != nil {
                findings.append(
                    collision("the composite type “\(composite.name)” has the name of an entity", composite.origin))
            }
            for element in composite.attributes {
                findings += property(element.name, of: composite.name, element.origin, reserved: [])
            }
        }
        return findings
    }

    private static func type(
        _ kind: String, name: String, origin: ElementOrigin?, generated: [String]
    ) -> ModelFinding? {
        guard SwiftIdentifier.isValid(name) else {
            return invalid("the name “\(name)” of the \(kind) is not an identifier", origin)
        }
        if SwiftIdentifier.needsBackquotes(name) {
            return invalid("the name “\(name)” of the \(kind) is a keyword of Swift", origin)
        }
        guard macros.contains(name) || generated.contains(name) else { return nil }
        return collision("the \(kind) “\(name)” has the name of a declaration that SwiftData code uses", origin)
    }

    /// Declarations of SwiftData, and modules, that generated code cannot refer to if a class shadows them.
    private static let macros: Set<String> = [
        "Model", "Attribute", "Relationship", "Transient", "PersistentModel", "VersionedSchema", "SchemaMigrationPlan",
        "MigrationStage", "ModelContext", "SwiftData", "Foundation", "Swift", "Codable", "Observable",
        "Observation",
    ]

    /// Members of `PersistentModel` and its supertypes, which a property of the same name shadows or conflicts with.
    private static let members: Set<String> = [
        "persistentModelID", "modelContext", "hasChanges", "isDeleted", "persistentBackingData", "schemaMetadata",
        "hashValue", "description", "self",
    ]

    private static func properties(of entity: Entity) -> [ModelFinding] {
        let names = entity.attributes.map { ($0.name, $0.origin) } + entity.relationships.map { ($0.name, $0.origin) }
        return names.flatMap { property($0, of: entity.name, $1, reserved: members) }
    }

    private static func property(
        _ name: String, of owner: String, _ origin: ElementOrigin?, reserved: Set<String>
    ) -> [ModelFinding] {
        // A missing name is reported as a structural error.
        guard !name.isEmpty else { return [] }
        guard SwiftIdentifier.isValid(name) else {
            return [invalid("the property name “\(owner).\(name)” is not an identifier", origin)]
        }
        if reserved.contains(name) {
            return [collision("a SwiftData model cannot have a property named “\(name)” (“\(owner).\(name)”)", origin)]
        }
        guard SwiftIdentifier.isKeyword(name) else { return [] }
        return [
            ModelFinding(
                .note, rule: .keywordName, "“\(owner).\(name)” is a keyword of Swift and is declared in backticks",
                at: origin, attribute: "name", why: "Code may need the backticks too.")
        ]
    }

    private static func invalid(_ message: String, _ origin: ElementOrigin?) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidName, message, at: origin, attribute: "name",
            why: "SwiftData takes the names of entities and properties from Swift declarations.",
            help: "Use letters, digits and underscores, beginning with a letter.")
    }

    private static func collision(_ message: String, _ origin: ElementOrigin?) -> ModelFinding {
        ModelFinding(
            .error, rule: .codeNameCollision, message, at: origin, attribute: "name",
            why: "The generated code would not compile, or would not do what it says.",
            help: "Rename it in a new version of the model, with the old name as its renaming ID.")
    }
}
