internal import Foundation

/// Decodes a structure or enumeration from the dictionary of a composite attribute.
struct CompositeDecoder {
    /// Returns a value.
    ///
    /// - Parameter readsNullAsNaN: Whether a required floating-point number without a stored value is NaN, which SQLite
    ///   stores as null.
    static func decode(
        _ type: any Decodable.Type, values: [String: Any], kind: PropertyKind, property: String,
        readsNullAsNaN: Bool = false
    ) throws -> any Decodable {
        switch kind {
        case .rawEnum(let raw):
            guard let stored = values[property] ?? values.values.first, let value = raw.init(storedObject: stored),
                let result = representable(type, value)
            else { throw missing("no case of \(type) has the stored raw value \(values.values.first ?? "nil")") }
            return result
        case .caseEnum(let names):
            guard let number = names.firstIndex(where: { values[$0] != nil }) else {
                throw missing("no case of \(type) is stored")
            }
            return EnumCases.value(type, number: number)
        case .structure(let elements):
            let table = Dictionary(elements.map { ($0.name, $0) }) { first, _ in first }
            return try type.init(
                from: ElementDecoder(values: values, elements: table, readsNullAsNaN: readsNullAsNaN))
        default: throw missing("\(type) is not composite")
        }
    }

    /// Returns the value of an element.
    private static func element(
        _ type: any Decodable.Type, stored: Any, kind: PropertyKind, name: String, readsNullAsNaN: Bool
    ) throws -> any Decodable {
        switch kind {
        case .simple(let simple):
            guard let value = simple.init(storedObject: stored) else {
                throw missing("the stored value of “\(name)” is not of the type \(type)")
            }
            return value
        case .array, .json, .provisional:
            guard let data = stored as? Data else { throw missing("the stored value of “\(name)” is not JSON") }
            return try JSONDecoder().decode(type, from: data)
        default:
            guard let values = stored as? [String: Any] else { throw missing("“\(name)” has no elements") }
            return try decode(type, values: values, kind: kind, property: name, readsNullAsNaN: readsNullAsNaN)
        }
    }

    private static func representable(_ type: any Decodable.Type, _ raw: Any) -> (any Decodable)? {
        func make<R: RawRepresentable>(_: R.Type) -> Any? { (raw as? R.RawValue).flatMap(R.init(rawValue:)) }
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return make(type) as? any Decodable
    }

    static func missing(_ text: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
    }

    private struct ElementDecoder: Decoder {
        let values: [String: Any]
        let elements: [String: PropertyKind.Element]
        let readsNullAsNaN: Bool
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        /// Returns what the columns of a required element stand for if all of them are null.
        func null(_ element: PropertyKind.Element) -> Any? {
            guard !element.isOptional else { return nil }
            return switch element.kind {
            case .structure: [String: Any]()
            case .simple(let type) where readsNullAsNaN: type.notANumber?.storedObject
            default: nil
            }
        }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Keyed<Key>(decoder: self))
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
            throw CompositeDecoder.missing("Composite Coder only supports Keyed Container")
        }
        func singleValueContainer() throws -> any SingleValueDecodingContainer {
            throw CompositeDecoder.missing("Composite Coder only supports Keyed Container")
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ElementDecoder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { decoder.values.keys.compactMap(Key.init(stringValue:)) }

        func contains(_ key: Key) -> Bool { decoder.values[key.stringValue] != nil }
        func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let name = key.stringValue
            guard let element = decoder.elements[name], let stored = decoder.values[name] ?? decoder.null(element)
            else {
                if let optional = T.self as? any OptionalProperty.Type, let none = optional.none as? T { return none }
                throw DecodingError.keyNotFound(
                    key, DecodingError.Context(codingPath: [], debugDescription: "“\(name)” has no stored value"))
            }
            let (wrapped, _) = PropertyKind.unwrapped(T.self)
            guard let wrapped = wrapped as? any Decodable.Type,
                let value = try CompositeDecoder.element(
                    wrapped, stored: stored, kind: element.kind, name: name, readsNullAsNaN: decoder.readsNullAsNaN)
                    as? T
            else { throw CompositeDecoder.missing("the stored value of “\(name)” is not of the type \(T.self)") }
            return value
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            throw CompositeDecoder.missing("nested containers are not supported in “\(key.stringValue)”")
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw CompositeDecoder.missing("nested containers are not supported in “\(key.stringValue)”")
        }
        func superDecoder() throws -> any Decoder { throw CompositeDecoder.missing("a superclass is not supported") }
        func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
    }
}
