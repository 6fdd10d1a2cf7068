internal import ModelSchema

/// Writes one version of a model as a `VersionedSchema` with its `@Model` classes.
struct SwiftDataSchema {
    let model: Model
    let access: String
    /// The entities by name; of several with the same name, the first.
    let entities: [String: Entity]
    /// The names of the entities that have subentities.
    let parents: Set<String>
    /// The types that the schema declares, which shadow those of other modules.
    private let declaredNames: Set<String>

    init(_ model: Model, access: AccessLevel) {
        self.model = model
        self.access = access.prefix
        entities = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        parents = Set(model.entities.compactMap(\.parentName))
        declaredNames = Set(model.entities.map(\.name) + model.composites.map(\.name))
    }

    /// Returns a text without line breaks, for a comment.
    static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .format: " "
                    default: scalar
                    }
                }))
    }

    // MARK: Availability

    private static let inheritance = "@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)"

    /// Returns the attribute that a declaration needs if one of the models has a subentity.
    static func availability(ifAny models: [Model]) -> String? {
        models.contains { $0.entities.contains { $0.parentName != nil } } ? inheritance : nil
    }

    // MARK: Text

    /// Returns the text of the file.
    func text(named name: String, number: Int, _ version: String) -> String {
        let imports = ["Foundation", "SwiftData"] + frameworks
        var lines = imports.sorted().map { "import \($0)" } + [""]
        lines.append(Self.comment("/// The version “\(version)”."))
        lines += Self.availability(ifAny: [model]).map { [$0] } ?? []
        let schemaVersion = type("Schema", in: "SwiftData") + ".Version"
        let models = model.entities.map { "\(SwiftIdentifier.declared($0.name)).self" }
        lines += [
            "\(access)enum \(name): VersionedSchema {",
            "    \(access)static var versionIdentifier: \(schemaVersion) { \(schemaVersion)(\(number), 0, 0) }", "",
            "    \(access)static var models: [any PersistentModel.Type] {",
        ]
        lines += models.isEmpty ? ["        []"] : ["        ["] + models.map { "            \($0)," } + ["        ]"]
        lines.append("    }")
        for entity in model.entities {
            lines.append("")
            lines += SwiftDataClass(entity: entity, schema: self).lines.map { $0.isEmpty ? "" : "    " + $0 }
        }
        for composite in model.composites {
            lines.append("")
            lines += structure(composite).map { $0.isEmpty ? "" : "    " + $0 }
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// The modules of well-known types of transformable attributes.
    private var frameworks: [String] {
        let types = model.entities.flatMap(\.attributes).compactMap { transformableType(of: $0) }
        let words = types.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } }
        let modules = words.compactMap { word -> String? in
            switch word {
            case "UIColor", "UIImage", "UIFont", "UIBezierPath": "UIKit"
            case "NSColor", "NSImage", "NSFont", "NSBezierPath": "AppKit"
            case "CLLocation", "CLPlacemark", "CLRegion": "CoreLocation"
            default: nil
            }
        }
        return Array(Set(modules))
    }

    private func structure(_ composite: CompositeType) -> [String] {
        let elements = composite.attributes.compactMap { element in
            valueType(of: element).map { "    \(access)var \(SwiftIdentifier.declared(element.name)): \($0)" }
        }
        let parameters = composite.attributes.compactMap { element in
            valueType(of: element).map {
                "\(SwiftIdentifier.declared(element.name)): \($0)\(element.isOptional ? " = nil" : "")"
            }
        }
        let names = composite.attributes.filter { valueType(of: $0) != nil }.map(\.name)
        return ["\(access)struct \(SwiftIdentifier.declared(composite.name)): Codable {"] + elements
            + ["", "    \(access)init(\(parameters.joined(separator: ", "))) {"]
            + names.map { "        self.\(SwiftIdentifier.declared($0)) = \(SwiftIdentifier.declared($0))" }
            + ["    }", "}"]
    }

    // MARK: Types

    /// Returns the name of a type of another module, qualified with the module if the schema declares the same name.
    func type(_ name: String, in module: String) -> String { declaredNames.contains(name) ? "\(module).\(name)" : name }

    /// Returns the type of an attribute's property, with a question mark if it is optional; `nil` for attributes that
    /// SwiftData cannot store.
    func valueType(of attribute: Attribute) -> String? {
        unwrappedType(of: attribute).map { attribute.isOptional ? $0 + "?" : $0 }
    }

    func unwrappedType(of attribute: Attribute) -> String? {
        switch attribute.type {
        case .integer16: type("Int16", in: "Swift")
        case .integer32: type("Int32", in: "Swift")
        case .integer64: type("Int64", in: "Swift")
        case .double: type("Double", in: "Swift")
        case .float: type("Float", in: "Swift")
        case .boolean: type("Bool", in: "Swift")
        case .string: type("String", in: "Swift")
        case .decimal: type("Decimal", in: "Foundation")
        case .date: type("Date", in: "Foundation")
        case .binary: type("Data", in: "Foundation")
        case .uuid: type("UUID", in: "Foundation")
        case .uri: type("URL", in: "Foundation")
        case .transformable: transformableType(of: attribute)
        case .composite:
            model.composites.first { $0.name == attribute.compositeName }
                .map { SwiftIdentifier.declared($0.name) }
        case .undefined, .objectID: nil
        }
    }

    /// Returns the type that a transformable attribute or its `userInfo` names.
    func transformableType(of attribute: Attribute) -> String? {
        guard attribute.type == .transformable else { return nil }
        let keys = ["modelc.type", "attributeValueClassName"]
        let named =
            attribute.customTypeName
            ?? keys.lazy.compactMap { key in attribute.userInfo.first { $0.key == key }?.value }.first
        guard let named, SwiftTypeSyntax.isType(named), !named.contains("?") else { return nil }
        return named
    }

    // MARK: Properties

    /// A relationship with the entity that declares it.
    struct End: Hashable {
        var entity: String
        var relationship: Relationship
    }

    /// Returns the inverse of a relationship, if both name each other.
    func inverse(of relationship: Relationship, in entity: Entity) -> End? {
        guard let name = relationship.inverseName,
            let destination = relationship.destinationName.flatMap({ entities[$0] })
        else { return nil }
        for owner in [destination] + destination.ancestors(in: entities) {
            guard let inverse = owner.relationships.first(where: { $0.name == name }) else { continue }
            let leadsBack = ([entity] + entity.ancestors(in: entities)).contains { $0.name == inverse.destinationName }
            return leadsBack && inverse.inverseName == relationship.name
                ? End(entity: owner.name, relationship: inverse) : nil
        }
        return nil
    }

    /// Returns whether the argument `inverse:` is written at this end. It is written at one end only, since macros that
    /// name each other do not compile.
    func namesInverse(_ relationship: Relationship, in entity: Entity, _ inverse: End) -> Bool {
        if relationship.isToMany != inverse.relationship.isToMany { return relationship.isToMany }
        return (entity.name, relationship.name) < (inverse.entity, inverse.relationship.name)
    }
}
