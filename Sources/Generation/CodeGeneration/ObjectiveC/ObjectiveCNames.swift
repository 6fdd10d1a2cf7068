internal import Diagnostics
internal import ModelSchema

/// Finds names and types of a model that do not compile in Objective-C, although Xcode writes them.
enum ObjectiveCNames {
    /// Returns warnings about the properties of an entity.
    static func findings(_ entity: Entity) -> [ModelFinding] {
        let names =
            entity.attributes.map { ($0.name, $0.origin) } + entity.relationships.map { ($0.name, $0.origin) }
        let reserved = names.filter { reservedWords.contains($0.0) }.map { name, origin in
            ModelFinding(
                .warning, rule: .keywordName, "“\(entity.name).\(name)” is a reserved word of Objective-C", at: origin,
                attribute: "name", why: "Xcode writes it unchanged too; the file does not compile.", help: "Rename it.")
        }
        let types = entity.attributes.compactMap { attribute -> ModelFinding? in
            guard let type = attribute.customType, !SwiftIdentifier.isValid(type) else { return nil }
            return ModelFinding(
                .warning, rule: .invalidType,
                "the custom class “\(type)” of “\(entity.name).\(attribute.name)” is not an Objective-C class",
                at: attribute.origin, attribute: "customClassName",
                why: "Xcode writes it unchanged too; the file does not compile.",
                help: "Specify a class, for example NSDictionary.")
        }
        return reserved + types
    }

    private static let reservedWords: Set<String> = [
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
        "float",
        "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
        "static", "struct", "switch", "typedef", "typeof", "union", "unsigned", "void", "volatile", "while",
    ]
}
