internal import ModelSchema
internal import SwiftSources

/// A reader of Codable structures and enumerations, which SwiftData stores as composite attributes
/// (Documentation/Formats/SwiftDataModel.md, 3.1).
struct ValueTypeReader {
    let table: TypeTable
    /// The composite types so far. Until all are known, the name of each is its number, because several types may be
    /// called the same.
    private var composites: [CompositeType] = []
    private var keys: [CompositeKey] = []
    private var numbers: [CompositeKey: Int] = [:]

    /// What distinguishes composite types. Their elements follow from it.
    private struct CompositeKey: Hashable {
        var key: TypeTable.Key
        /// The property whose name is that of the only element, for enumerations with raw values.
        var property: String?
        var isOptional: Bool

        /// Returns the name to show.
        func title(qualified: Bool) -> String {
            let name = qualified ? key.path.joined(separator: ".") : key.path.last ?? ""
            return (isOptional ? "Optional" : "") + name + (property.map { ".\($0)" } ?? "")
        }
    }

    /// The reason why a type cannot be stored.
    struct Failure: Error {
        var reason: String
        var help: String
        var span: SourceSpan?
        /// The source range of the second of two declarations.
        var otherSpan: SourceSpan?

        init(reason: String, help: String, span: SourceSpan? = nil, otherSpan: SourceSpan? = nil) {
            self.reason = reason
            self.help = help
            self.span = span
            self.otherSpan = otherSpan
        }

        /// Creates the reason for an ambiguous type.
        init(_ ambiguity: TypeTable.Ambiguity) {
            let name = ambiguity.name.split(separator: ".").last.map(String.init) ?? ""
            self.init(
                reason: "“\(name)” \(ambiguity.problem)", help: ambiguity.help, span: ambiguity.span,
                otherSpan: ambiguity.otherSpan)
        }
    }

    init(table: TypeTable) {
        self.table = table
    }

    /// Adds a composite type with plain elements, for a value type declared by a framework, and returns its name.
    mutating func composite(
        ofFramework path: [String], _ elements: [(name: String, type: AttributeType)], isOptional: Bool
    ) -> String {
        let key = CompositeKey(
            key: TypeTable.Key(path: ["SwiftUI", path.joined(separator: ".")], file: nil), isOptional: isOptional)
        return add(
            key,
            elements.map {
                var attribute = Attribute(name: $0.name, type: $0.type)
                attribute.isOptional = isOptional
                return attribute
            })
    }

    /// Returns the provisional name of the composite type for a structure or enumeration.
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
        var key = CompositeKey(key: entry.key, isOptional: false)
        switch type.kind {
        case .enum where type.cases.isEmpty:
            throw Failure(reason: "“\(type.name)” has no cases", help: Self.dataHelp, span: type.span)
        case .enum:
            elements = try enumElements(entry, property: property)
            if elements.count == 1, elements[0].name == property { key.property = property }
        case .struct:
            elements = try structElements(entry, isOptional: isOptional, depth: depth)
            guard !elements.isEmpty else {
                throw Failure(reason: "“\(type.name)” stores nothing", help: Self.dataHelp, span: type.span)
            }
            key.isOptional = isOptional
        default:
            throw Failure(
                reason: "“\(type.name)” is a \(type.kind.rawValue)", help: Self.dataHelp, span: type.span)
        }
        return add(key, elements)
    }

    private static let dataHelp = "store a `String`, a number or `Data`, and convert it in a computed property"

    private mutating func add(_ key: CompositeKey, _ elements: [Attribute]) -> String {
        if let number = numbers[key] { return "\(number)" }
        numbers[key] = keys.count
        var composite = CompositeType(name: "\(keys.count)")
        composite.attributes = elements
        composites.append(composite)
        keys.append(key)
        return composite.name
    }

    /// Moves the composite types to a model, whose attributes have their provisional names.
    ///
    /// A type is called by its own name. If several are, the later ones are called by their paths.
    mutating func nameComposites(of model: inout Model) {
        var taken: Set<String> = []
        let names = keys.map { key in
            var name = key.title(qualified: false)
            if taken.contains(name) { name = key.title(qualified: true) }
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(key.title(qualified: true)) \(number)"
                number += 1
            }
            return name
        }
        func rename(_ attributes: inout [Attribute]) {
            for index in attributes.indices {
                guard let number = attributes[index].compositeName.flatMap({ Int($0) }) else { continue }
                attributes[index].compositeName = names[number]
            }
        }
        for index in composites.indices {
            composites[index].name = names[index]
            rename(&composites[index].attributes)
        }
        for index in model.entities.indices { rename(&model.entities[index].attributes) }
        model.composites = composites
    }

    /// Throws if two plain elements of a composite type have the same name and differ otherwise: in which order
    /// SwiftData hashes them is unknown.
    func checkLeaves(of name: String) throws(Failure) {
        guard let number = Int(name), composites[number].attributes.count > 1 else { return }
        var attribute = Attribute(name: "", type: .composite)
        attribute.compositeName = name
        var byName: [String: Attribute] = [:]
        for leaf in attribute.leaves(composites) ?? [] {
            guard let other = byName.updateValue(leaf, forKey: leaf.name) else { continue }
            guard other.type != leaf.type || other.isOptional != leaf.isOptional else { continue }
            throw Failure(
                reason:
                    "two of its parts are named “\(leaf.name)” and differ in type, and which version hash this gives "
                    + "is unknown",
                help: "rename one of them, or " + Self.dataHelp)
        }
    }

    private func check(_ entry: TypeTable.Entry) throws(Failure) {
        let type = entry.type
        if type.isGeneric {
            throw Failure(reason: "“\(type.name)” is generic", help: Self.dataHelp, span: type.span)
        }
        if let ambiguity = entry.ambiguity { throw Failure(ambiguity) }
        if let source = entry.extensions.first(where: { !$0.undecided.isEmpty }) {
            throw Failure(
                reason: "“\(type.name)” depends on `#if \(source.undecided[0])`", help: EntityReader.conditionHelp,
                span: source.span)
        }
        if let unknown = type.attributes.first(where: { !Self.knownAttributes.contains($0.name) }) {
            throw Failure(
                reason: "“\(type.name)” has the attribute “@\(unknown.name)”, which may change how it is encoded",
                help: Self.dataHelp, span: unknown.span)
        }
        if let raw = Self.rawProtocols.first(where: { table.conforms(entry, to: $0) }) {
            throw Failure(
                reason: "“\(type.name)” conforms to “\(raw)”, so that it encodes its raw value", help: Self.dataHelp,
                span: type.span)
        }
        // An enumeration with raw values that only decodes itself is stored like one that does not.
        let decodesItself = entry.functions.contains("init(from:)") && rawType(of: entry) == nil
        if entry.functions.contains("encode(to:)") || decodesItself {
            throw Failure(
                reason: "“\(type.name)” encodes itself", help: Self.dataHelp, span: type.span)
        }
        if table.has("CodingKeys", in: entry) {
            throw Failure(reason: "“\(type.name)” has coding keys", help: Self.dataHelp, span: type.span)
        }
    }

    /// The attributes that do not affect the encoding of a type.
    private static let knownAttributes: Set<String> = [
        "available", "dynamicMemberLookup", "frozen", "MainActor", "preconcurrency", "unchecked", "usableFromInline",
    ]

    /// The protocols whose conforming types are encoded as their raw value.
    private static let rawProtocols = ["OptionSet", "RawRepresentable"]

    private func enumElements(_ entry: TypeTable.Entry, property: String) throws(Failure) -> [Attribute] {
        let type = entry.type
        if let payload = type.cases.first(where: \.hasPayload) {
            throw Failure(
                reason: "“\(type.name).\(payload.name)” has associated values", help: Self.dataHelp,
                span: payload.span)
        }
        if let rawType = rawType(of: entry) {
            return [Self.element(property, type: rawType, isOptional: true, span: type.span)]
        }
        if let value = type.cases.first(where: { !$0.rawValue.isEmpty }) {
            throw Failure(
                reason: "the raw type of “\(type.name)” is neither a number nor a string", help: Self.dataHelp,
                span: value.span)
        }
        if let (value, condition) = undecidedCase(of: type) {
            throw Failure(
                reason: "“\(type.name).\(value.name)” depends on `#if \(condition)`", help: EntityReader.conditionHelp,
                span: value.span)
        }
        return type.cases.map { Self.element($0.name, type: .string, isOptional: true, span: $0.span) }
    }

    private func undecidedCase(of type: TypeSource) -> (CaseSource, condition: String)? {
        for value in type.cases {
            if let condition = value.undecided.first { return (value, condition) }
        }
        return nil
    }

    /// Returns the type of an enumeration's raw values, or `nil` if it has none.
    private func rawType(of entry: TypeTable.Entry) -> AttributeType? {
        guard entry.type.kind == .enum, let raw = entry.type.inherited.first,
            case .external(let external, _) = table.resolve(raw, from: entry.type.outerScope)
        else { return nil }
        return SimpleType.attributeType(of: external)
    }

    private static func element(
        _ name: String, type: AttributeType, isOptional: Bool, span: SourceSpan
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
                switch table.resolve(type.unwrapped, from: property.scope(in: entry)) {
                case .external(.array, _), .external(.dictionary, _): attribute.type = .binary
                case .external(let external, _):
                    guard let simple = SimpleType.attributeType(of: external) else {
                        throw unsupported(property, entry)
                    }
                    attribute.type = simple
                case .type(let inner):
                    guard !inner.type.isModel else {
                        throw Failure(
                            reason: "“\(entry.type.name).\(property.name)” is a model, which a value cannot hold",
                            help: "store an identifier instead", span: property.span)
                    }
                    attribute.type = .composite
                    attribute.compositeName = try composite(
                        for: inner, property: property.name, isOptional: attribute.isOptional, depth: depth + 1)
                case .unclear(let ambiguity): throw ambiguity.map(Failure.init) ?? unsupported(property, entry)
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
        guard let type = LiteralType.type(of: property, in: property.scope(in: entry), table) else {
            throw unsupported(property, entry)
        }
        return type
    }

    private func unsupported(_ property: PropertySource, _ entry: TypeTable.Entry) -> Failure {
        Failure(
            reason: "the type of “\(entry.type.name).\(property.name)” cannot be determined or stored",
            help: "write a type that is declared in the sources, or " + Self.dataHelp, span: property.span)
    }
}
