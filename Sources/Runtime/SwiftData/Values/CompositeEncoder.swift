internal import Foundation

/// Encodes a structure or enumeration as the dictionary of a composite attribute.
///
/// Values are found by the names of the stored properties, so that a property whose coding key has another name is
/// omitted, as Apple's framework does.
struct CompositeEncoder {
    /// The reason why a value cannot be encoded.
    struct Failure: Error {
        let reason: String
    }

    /// Returns the elements of a value.
    static func encode(_ value: any Encodable, _ kind: PropertyKind, property: String) throws -> [String: Any] {
        switch kind {
        case .rawEnum:
            guard let value = value as? any RawRepresentable, let raw = value.rawValue as? any SimpleValue else {
                throw Failure(reason: "\(value) has no raw value")
            }
            return [property: raw.storedObject]
        case .caseEnum(let names):
            guard let name = EnumCases.name(of: value, names) else {
                throw Failure(reason: "\(value) is not one of the cases")
            }
            return [name: name]
        case .structure(let elements):
            let sink = Sink(elements: Dictionary(elements.map { ($0.name, $0) }) { first, _ in first })
            try value.encode(to: ElementEncoder(sink: sink))
            guard !sink.isUnkeyed else { throw Failure(reason: "Composite Coder only supports Keyed Container") }
            return sink.values
        default: throw Failure(reason: "\(value) is not composite")
        }
    }

    /// Returns the value of an element; `nil` for none.
    static func element(_ value: any Encodable, _ kind: PropertyKind, name: String) throws -> Any? {
        var value = value
        if let optional = value as? any OptionalProperty {
            guard let wrapped = optional.wrapped as? any Encodable else { return nil }
            value = wrapped
        }
        switch kind {
        case .simple: return (value as? any SimpleValue)?.storedObject
        case .json: return try JSONEncoder().encode(value)
        case .array, .provisional: return try JSONEncoder().encode(value)
        default: return try encode(value, kind, property: name)
        }
    }

    /// What was encoded.
    private final class Sink {
        let elements: [String: PropertyKind.Element]?
        var values: [String: Any] = [:]
        var isUnkeyed = false

        init(elements: [String: PropertyKind.Element]?) { self.elements = elements }

        func set(_ value: any Encodable, _ key: any CodingKey) throws {
            guard let element = elements?[key.stringValue] else { return }
            values[element.name] = try CompositeEncoder.element(value, element.kind, name: element.name)
        }
    }

    private struct ElementEncoder: Encoder {
        let sink: Sink
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(Keyed<Key>(sink: sink))
        }
        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            sink.isUnkeyed = true
            return Ignored()
        }
        func singleValueContainer() -> any SingleValueEncodingContainer {
            sink.isUnkeyed = true
            return Ignored()
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let sink: Sink
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) throws {}
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Bool, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: String, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Double, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Float, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Int, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Int8, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Int16, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Int32, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: Int64, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: UInt, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: UInt8, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: UInt16, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: UInt32, forKey key: Key) throws { try sink.set(value, key) }
        mutating func encode(_ value: UInt64, forKey key: Key) throws { try sink.set(value, key) }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            return KeyedEncodingContainer(Keyed<NestedKey>(sink: Sink(elements: nil)))
        }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            return Ignored()
        }
        mutating func superEncoder() -> any Encoder { ElementEncoder(sink: Sink(elements: nil)) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { ElementEncoder(sink: Sink(elements: nil)) }
    }

    /// A container whose contents are not stored.
    private struct Ignored: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }
        mutating func encodeNil() throws {}
        mutating func encode<T: Encodable>(_ value: T) throws {}
        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            KeyedEncodingContainer(Keyed<NestedKey>(sink: Sink(elements: nil)))
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
        mutating func superEncoder() -> any Encoder { ElementEncoder(sink: Sink(elements: nil)) }
    }
}
