internal import CoreData
internal import Foundation
internal import ModelSchema
@_spi(Reflection) internal import Swift
internal import SwiftDataRules

/// How values of a type are stored (Documentation/Formats/SwiftDataModel.md, 3).
indirect enum PropertyKind {
    case simple(any SimpleValue.Type)
    /// A composite attribute with one element, which has the property's name and holds the raw value.
    case rawEnum(any SimpleValue.Type)
    /// A composite attribute with an element for each case.
    case caseEnum([String])
    /// A composite attribute with an element for each stored property.
    case structure([Element])
    /// An array of simple values: a keyed archive.
    case array(any SimpleValue.Type)
    /// JSON in a binary attribute.
    case json
    /// JSON in a binary attribute, in a place where the form of Apple's files is not known.
    case provisional(String)

    struct Element {
        let name: String
        let kind: PropertyKind
        let isOptional: Bool
        /// The type of the values, including `Optional`.
        let type: any Any.Type
    }

    /// The reason why values cannot be stored.
    struct Unsupported: Error {
        let reason: String
    }

    /// Returns a type without its question marks.
    static func unwrapped(_ type: any Any.Type) -> (type: any Any.Type, isOptional: Bool) {
        guard let optional = type as? any OptionalProperty.Type else { return (type, false) }
        return (unwrapped(optional.wrappedType).type, true)
    }

    /// Returns how values of a type that is not optional are stored.
    static func of(_ type: any Any.Type) throws -> PropertyKind {
        if let simple = type as? any SimpleValue.Type { return .simple(simple) }
        if let array = type as? any ArrayValue.Type {
            if let simple = array.elementType as? any SimpleValue.Type { return .array(simple) }
            try requireCodable(type)
            return .provisional("an array of \(array.elementType)")
        }
        try requireCodable(type)
        if let keyed = type as? any KeyedValues.Type {
            if let value = keyed.valueType, case .structure? = try? composite(value, depth: 0) { return .json }
            return .provisional("\(type)")
        }
        return try composite(type, depth: 0)
    }

    /// Returns the kind of an attribute with the option `.codable`: JSON in a binary attribute.
    static func encoded(_ type: any Any.Type) throws -> PropertyKind {
        guard type is any (Encodable & Decodable).Type else { throw Unsupported(reason: "\(type) is not Codable") }
        return .json
    }

    private static func requireCodable(_ type: any Any.Type) throws {
        guard type is any (Encodable & Decodable).Type else { throw Unsupported(reason: "\(type) is not Codable") }
        if type is AnyClass {
            throw Unsupported(
                reason: "Class property within Persisted Struct/Enum is not supported: \(type)")
        }
    }

    private static func composite(_ type: any Any.Type, depth: Int) throws -> PropertyKind {
        guard depth < 16 else { throw Unsupported(reason: "\(type) contains itself") }
        try requireCodable(type)
        if let cases = EnumCases(type) {
            if let raw = rawType(of: type) { return .rawEnum(raw) }
            if cases.hasPayload { return .provisional("an enumeration with associated values, \(type)") }
            return .caseEnum(cases.names)
        }
        if type is any RawRepresentable.Type || type is any SetAlgebra.Type {
            throw Unsupported(reason: "Composite Coder only supports Keyed Container: \(type)")
        }
        var elements: [Element] = []
        var problem: (any Error)?
        let isStruct = _forEachField(of: type) { name, _, fieldType, _ in
            do {
                elements.append(try element(String(cString: name), fieldType, depth: depth))
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
        guard isStruct, !elements.isEmpty else {
            throw Unsupported(reason: "Composite Coder only supports Keyed Container: \(type)")
        }
        return .structure(elements)
    }

    private static func element(_ name: String, _ type: any Any.Type, depth: Int) throws -> Element {
        let (wrapped, isOptional) = unwrapped(type)
        if wrapped is any PersistentModel.Type {
            throw Unsupported(reason: "a structure cannot hold the model \(wrapped); store a `UUID` of your own")
        }
        let kind: PropertyKind
        if let simple = wrapped as? any SimpleValue.Type {
            kind = .simple(simple)
        } else if wrapped is any ArrayValue.Type || wrapped is any KeyedValues.Type {
            try requireCodable(wrapped)
            kind = .json
        } else if wrapped is any (Encodable & Decodable).Type, !(wrapped is AnyClass) {
            kind = try composite(wrapped, depth: depth + 1)
        } else {
            throw Unsupported(reason: "Unexpected property within Persisted Struct/Enum: \(name): \(wrapped)")
        }
        return Element(name: name, kind: kind, isOptional: isOptional, type: type)
    }

    private static func rawType(of type: any Any.Type) -> (any SimpleValue.Type)? {
        func raw<R: RawRepresentable>(_: R.Type) -> (any SimpleValue.Type)? { R.RawValue.self as? any SimpleValue.Type }
        guard let representable = type as? any RawRepresentable.Type else { return nil }
        return raw(representable)
    }

    /// Whether a composite attribute holds the values.
    var isComposite: Bool {
        switch self {
        case .rawEnum, .caseEnum, .structure: true
        default: false
        }
    }

    /// Returns the form of a value in a managed object; `nil` for a value of another type.
    ///
    /// - Throws: What the value's `encode(to:)` throws.
    func storedObject(of value: Any, property: String, encoder: JSONEncoder = JSONEncoder()) throws -> Any? {
        switch self {
        case .simple: (value as? any SimpleValue)?.storedObject
        case .array:
            (value as? any ArrayValue).map { array in
                NSArray(array: array.elements.compactMap { ($0 as? any SimpleValue)?.storedObject })
            }
        case .json, .provisional: try (value as? any Encodable).map { try encoder.encode($0) }
        case .rawEnum, .caseEnum, .structure:
            try (value as? any Encodable).map { try CompositeEncoder.encode($0, self, property: property) }
        }
    }

    // MARK: Samples

    /// Returns a stored value for a model whose reads are recorded; `nil` if none is known to be valid.
    func sample(of type: any Any.Type, round: Int) -> Any? {
        switch self {
        case .simple(let simple): return simple.sample(round).storedObject
        case .rawEnum: return EnumCases.rawValues(of: type).flatMap { Self.element($0, round) }.map { ["": $0] }
        case .caseEnum(let names): return Self.element(names, round).map { [$0: $0] }
        case .structure(let elements):
            let samples = elements.map { element in
                let wrapped = Self.unwrapped(element.type).type
                return (element.name, element.isOptional ? nil : element.kind.sample(of: wrapped, round: round))
            }
            return Dictionary(samples) { first, _ in first }.compactMapValues { $0 }
        case .array(let simple): return (0..<round).map { simple.sample($0).storedObject }
        case .json, .provisional:
            guard let type = type as? any Decodable.Type else { return nil }
            return [Data("[]".utf8), Data("{}".utf8)].first { (try? JSONDecoder().decode(type, from: $0)) != nil }
        }
    }

    private static func element<Value>(_ values: [Value], _ round: Int) -> Value? {
        values.isEmpty ? nil : values[round % values.count]
    }

    // MARK: Attribute descriptions

    /// Returns the description of an attribute with such values.
    func attribute(named name: String, isOptional: Bool) -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        switch self {
        case .rawEnum, .caseEnum, .structure:
            let composite = NSCompositeAttributeDescription()
            composite.elements = elements(property: name, isOptional: isOptional)
            attribute = composite
        case .simple(let type):
            attribute = NSAttributeDescription()
            attribute.attributeType = Self.attributeType(of: type)
        case .array:
            attribute = NSAttributeDescription()
            attribute.attributeType = .transformableAttributeType
            attribute.valueTransformerName = SimpleTypes.arrayTransformerName
            attribute.attributeValueClassName = "NSArray"
        case .json, .provisional:
            attribute = NSAttributeDescription()
            attribute.attributeType = .binaryDataAttributeType
        }
        attribute.name = name
        attribute.isOptional = isOptional
        return attribute
    }

    private func elements(property: String, isOptional: Bool) -> [NSAttributeDescription] {
        switch self {
        case .rawEnum(let raw): [PropertyKind.simple(raw).attribute(named: property, isOptional: true)]
        case .caseEnum(let names): names.map { PropertyKind.simple(String.self).attribute(named: $0, isOptional: true) }
        case .structure(let elements):
            elements.map { $0.kind.attribute(named: $0.name, isOptional: isOptional || $0.isOptional) }
        default: []
        }
    }

    static func attributeType(of type: any SimpleValue.Type) -> NSAttributeType {
        switch SimpleTypes.attributeType(named: "\(type)") {
        case .string: .stringAttributeType
        case .boolean: .booleanAttributeType
        case .integer16: .integer16AttributeType
        case .integer32: .integer32AttributeType
        case .integer64: .integer64AttributeType
        case .double: .doubleAttributeType
        case .float: .floatAttributeType
        case .decimal: .decimalAttributeType
        case .date: .dateAttributeType
        case .binary: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .uri: .URIAttributeType
        default: fatalError("\(type) is not in the table of simple types")
        }
    }
}

/// An array type.
protocol ArrayValue {
    static var elementType: any Any.Type { get }
    var elements: [Any] { get }
    /// Creates an array; `nil` if an element has another type.
    init?(storedElements: [Any])
}

extension Array: ArrayValue {
    static var elementType: any Any.Type { Element.self }
    var elements: [Any] { self }

    init?(storedElements: [Any]) {
        guard let type = Element.self as? any SimpleValue.Type else { return nil }
        var result: [Element] = []
        result.reserveCapacity(storedElements.count)
        for element in storedElements {
            guard let value = type.init(storedObject: element) as? Element else { return nil }
            result.append(value)
        }
        self = result
    }
}

/// A set or dictionary type.
protocol KeyedValues {
    /// The type of a dictionary's values.
    static var valueType: (any Any.Type)? { get }
}

extension Set: KeyedValues {
    static var valueType: (any Any.Type)? { nil }
}

extension Dictionary: KeyedValues {
    static var valueType: (any Any.Type)? { Value.self }
}
