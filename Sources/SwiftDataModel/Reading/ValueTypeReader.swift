internal import ModelSchema
internal import SwiftSources

/// A reader of Codable structures and enumerations, which SwiftData stores as composite attributes
/// (Documentation/Formats/SwiftDataModel.md, 3.1).
struct ValueTypeReader {
    let table: TypeTable
    /// The composite types so far, by name.
    private(set) var composites: [CompositeType] = []
    private var names: [String: [String]] = [:]

    /// The reason why a type cannot be stored.
    struct Failure: Error {
        var reason: String
        var help: String
        var place: SourcePlace?
        /// The source range of the second of two declarations.
        var otherPlace: SourcePlace?
    }

    init(table: TypeTable) {
        self.table = table
    }

    /// Adds a composite type with plain elements, for a value type declared by a framework, and returns its name.
    mutating func composite(
        ofFramework path: [String], _ elements: [(name: String, type: AttributeType)], isOptional: Bool
    ) -> String {
        add(
            (isOptional ? "Optional" : "") + path.joined(separator: "."), path: path,
            elements.map {
                var attribute = Attribute(name: $0.name, type: $0.type)
                attribute.isOptional = isOptional
                return attribute
            })
    }

    /// Returns the name of the composite type for a structure or enumeration.
    ///
    /// - Parameters:
    ///   - entry: The type.
    ///   - property: The property that holds it; it names the element of an enumeration with a raw type.
    ///   - isOptional: Whether the property is optional; if so, all elements are.
    mutating func composite(
        for entry: TypeTable.Entry, property: String, isOptional: Bool, depth: Int = 0
    ) throws(Failure) -> String {
        let type = entry.type
        guard depth < 16 else { throw Failure(reason: "“\(type.name)” contains itself", help: Self.dataHelp) }
        try check(entry)
        let elements: [Attribute]
        var name = type.name
        switch type.kind {
        case .enum where type.cases.isEmpty:
            throw Failure(reason: "“\(type.name)” has no cases", help: Self.dataHelp, place: type.place)
        case .enum:
            elements = try enumElements(entry, property: property)
            if elements.count == 1, elements[0].name == property { name += ".\(property)" }
        case .struct:
            elements = try structElements(entry, isOptional: isOptional, depth: depth)
            guard !elements.isEmpty else {
                throw Failure(reason: "“\(type.name)” stores nothing", help: Self.dataHelp, place: type.place)
            }
            if isOptional { name = "Optional" + name }
        default:
            throw Failure(
                reason: "“\(type.name)” is a \(type.kind.rawValue)", help: Self.dataHelp, place: type.place)
        }
        return add(name, path: type.path, elements)
    }

    private static let dataHelp = "store a `String`, a number or `Data`, and convert it in a computed property"

    private mutating func add(_ name: String, path: [String], _ elements: [Attribute]) -> String {
        var name = name
        // Types of the same name in different scopes.
        if let known = names[name], known != path { name = path.joined(separator: ".") }
        if names.updateValue(path, forKey: name) == nil {
            var composite = CompositeType(name: name)
            composite.attributes = elements
            composites.append(composite)
        }
        return name
    }

    private func check(_ entry: TypeTable.Entry) throws(Failure) {
        let type = entry.type
        if type.isGeneric {
            throw Failure(reason: "“\(type.name)” is generic", help: Self.dataHelp, place: type.place)
        }
        if let condition = entry.undecided ?? entry.extensions.lazy.compactMap(\.undecided.first).first {
            throw Failure(
                reason: "“\(type.name)” depends on `#if \(condition)`", help: EntityReader.conditionHelp,
                place: type.place, otherPlace: entry.duplicates.first?.place)
        }
        if let other = entry.duplicates.first {
            throw Failure(
                reason: "“\(type.name)” is declared twice",
                help: "leave out the file that is not compiled into the target", place: type.place,
                otherPlace: other.place)
        }
        if let unknown = type.attributes.first(where: { !Self.knownAttributes.contains($0.name) }) {
            throw Failure(
                reason: "“\(type.name)” has the attribute “@\(unknown.name)”, which may change how it is encoded",
                help: Self.dataHelp, place: unknown.place)
        }
        if let raw = entry.inherited.compactMap(\.lastName).first(where: Self.rawProtocols.contains) {
            throw Failure(
                reason: "“\(type.name)” conforms to “\(raw)”, so that it encodes its raw value", help: Self.dataHelp,
                place: type.place)
        }
        if entry.functions.contains("encode(to:)") || entry.functions.contains("init(from:)") {
            throw Failure(
                reason: "“\(type.name)” encodes itself", help: Self.dataHelp, place: type.place)
        }
        if table.entries[type.path + ["CodingKeys"]] != nil {
            throw Failure(reason: "“\(type.name)” has coding keys", help: Self.dataHelp, place: type.place)
        }
    }

    /// The attributes that do not affect the encoding of a type.
    private static let knownAttributes: Set<String> = [
        "available", "dynamicMemberLookup", "frozen", "MainActor", "preconcurrency", "unchecked", "usableFromInline",
    ]

    /// The protocols whose conforming types are encoded as their raw value.
    private static let rawProtocols: Set<String> = ["OptionSet", "RawRepresentable"]

    private func enumElements(_ entry: TypeTable.Entry, property: String) throws(Failure) -> [Attribute] {
        let type = entry.type
        if let payload = type.cases.first(where: \.hasPayload) {
            throw Failure(
                reason: "“\(type.name).\(payload.name)” has associated values", help: Self.dataHelp,
                place: payload.place)
        }
        if let raw = type.inherited.first, let rawType = attributeType(raw, from: type.path) {
            return [Self.element(property, rawType, isOptional: true, type.place)]
        }
        if let value = type.cases.first(where: { !$0.rawValue.isEmpty }) {
            throw Failure(
                reason: "the raw type of “\(type.name)” is neither a number nor a string", help: Self.dataHelp,
                place: value.place)
        }
        if let (value, condition) = undecidedCase(of: type) {
            throw Failure(
                reason: "“\(type.name).\(value.name)” depends on `#if \(condition)`", help: EntityReader.conditionHelp,
                place: value.place)
        }
        return type.cases.map { Self.element($0.name, .string, isOptional: true, $0.place) }
    }

    private func undecidedCase(of type: TypeSource) -> (CaseSource, condition: String)? {
        for value in type.cases {
            if let condition = value.undecided.first { return (value, condition) }
        }
        return nil
    }

    private func attributeType(_ type: SwiftTypeText, from scope: [String]) -> AttributeType? {
        guard case .external(let external) = table.resolve(type, from: scope) else { return nil }
        return SimpleType.attributeType(of: external)
    }

    private static func element(
        _ name: String, _ type: AttributeType, isOptional: Bool, _ place: SourcePlace
    ) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = isOptional
        return attribute
    }

    private mutating func structElements(
        _ entry: TypeTable.Entry, isOptional: Bool, depth: Int
    ) throws(Failure) -> [Attribute] {
        var elements: [Attribute] = []
        for property in entry.properties where property.isStored {
            let type = try storedType(of: property, in: entry)
            var attribute = Attribute(name: property.name, type: .undefined)
            attribute.isOptional = isOptional || type.isOptional
            switch type.unwrapped {
            case .array, .dictionary: attribute.type = .binary
            case .optional, .other: throw unsupported(property, entry)
            case .named:
                switch table.resolve(type.unwrapped, from: entry.type.path) {
                case .external(.array), .external(.dictionary): attribute.type = .binary
                case .external(let external):
                    guard let simple = SimpleType.attributeType(of: external) else {
                        throw unsupported(property, entry)
                    }
                    attribute.type = simple
                case .type(let inner):
                    guard !inner.type.isModel else {
                        throw Failure(
                            reason: "“\(entry.type.name).\(property.name)” is a model, which a value cannot hold",
                            help: "store an identifier instead", place: property.place)
                    }
                    attribute.type = .composite
                    attribute.compositeName = try composite(
                        for: inner, property: property.name, isOptional: attribute.isOptional, depth: depth + 1)
                case .cycle: throw unsupported(property, entry)
                }
            }
            elements.append(attribute)
        }
        return elements
    }

    private func storedType(
        of property: PropertySource, in entry: TypeTable.Entry
    ) throws(Failure) -> SwiftTypeText {
        guard !property.isTuple, property.undecided.isEmpty, property.attributes.isEmpty else {
            throw unsupported(property, entry)
        }
        guard let type = LiteralType.type(of: property, in: entry.type.path, table) else {
            throw unsupported(property, entry)
        }
        return type
    }

    private func unsupported(_ property: PropertySource, _ entry: TypeTable.Entry) -> Failure {
        Failure(
            reason: "the type of “\(entry.type.name).\(property.name)” cannot be determined or stored",
            help: "write a type that is declared in the sources, or " + Self.dataHelp, place: property.place)
    }
}
