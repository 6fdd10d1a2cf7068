internal import CoreData
internal import Foundation

/// The values of a model in a store.
public protocol DataStoreSnapshot: Codable {
    /// The identifier of the model.
    var persistentIdentifier: PersistentIdentifier { get }
    /// Creates a snapshot of a model in a context.
    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
    /// Returns the values with another identifier, and with the permanent identifiers of related models.
    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

extension DataStoreSnapshot {
    /// Returns the values with another identifier.
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The keys of an encoded snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable {
    /// The identifier of the model.
    case persistentIdentifier
    /// The name of a property of the model.
    case modeledProperty(String)

    /// Creates a key.
    public init?(stringValue: String) {
        self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
    }
    /// Always `nil`: keys are names.
    public init?(intValue: Int) { nil }
    /// The name.
    public var stringValue: String {
        switch self {
        case .persistentIdentifier: "persistentIdentifier"
        case .modeledProperty(let name): name
        }
    }
    /// Always `nil`: keys are names.
    public var intValue: Int? { nil }
}

/// The values of a model by property name: attributes, and the identifiers of related models.
public struct DefaultSnapshot: DataStoreSnapshot, Sendable, Equatable {
    /// The identifier of the model.
    public let persistentIdentifier: PersistentIdentifier
    let values: [String: SnapshotValue]

    init(_ identifier: PersistentIdentifier, _ values: [String: SnapshotValue]) {
        persistentIdentifier = identifier
        self.values = values
    }

    /// Creates a snapshot of a model in a context.
    public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        do {
            try self.init(backingData._core.managed) { PersistentIdentifier($0) }
        } catch {
            backingData._core.trap("no snapshot can be made: \(error)")
        }
    }

    /// Returns the values with another identifier, and with the permanent identifiers of related models.
    public func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> DefaultSnapshot {
        let remapped = remappedIdentifiers ?? [:]
        return DefaultSnapshot(
            persistentIdentifier, remapped.isEmpty ? values : values.mapValues { $0.remapped(remapped) })
    }

    /// Decodes values.
    ///
    /// - Throws: A `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        persistentIdentifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        var values: [String: SnapshotValue] = [:]
        for case .modeledProperty(let name) in container.allKeys {
            values[name] = try container.decode(SnapshotValue.self, forKey: .modeledProperty(name))
        }
        self.values = values
    }

    /// Encodes the values by the names of the properties.
    ///
    /// - Throws: An `EncodingError`, or an error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values { try container.encode(value, forKey: .modeledProperty(name)) }
    }
}

/// A value in a snapshot, in a form that coders of all formats keep.
indirect enum SnapshotValue: Codable, Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// A decimal number, with the floating-point number that a coder of another type reads.
    case decimal(Decimal, double: Double)
    case string(String)
    case date(Date)
    case data(Data)
    case list([SnapshotValue])
    case object([String: SnapshotValue])
    case identifier(PersistentIdentifier)
    /// A number or string that may be an encoded date; the property's type decides.
    case ambiguous(SnapshotValue, date: Date)

    init(from decoder: any Decoder) throws {
        if let keyed = try? PersistentIdentifier(from: decoder) {
            self = .identifier(keyed)
            return
        }
        let container = try decoder.singleValueContainer()
        let value = try SnapshotValue(container)
        // Coders have settings for how dates are encoded, such as numbers since 1970.
        self = value.mayBeDate ? (try? container.decode(Date.self)).map { .ambiguous(value, date: $0) } ?? value : value
    }

    /// Whether a date may be encoded in this form: numbers, and short strings with a digit.
    private var mayBeDate: Bool {
        switch self {
        case .integer, .double, .decimal: true
        case .string(let text): text.utf8.count <= 64 && text.utf8.contains { (48...57).contains($0) }
        default: false
        }
    }

    private init(_ container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            // Decimal numbers keep all their digits. Those that are out of their range decode as others.
            if let decimal = try? container.decode(Decimal.self),
                abs(NSDecimalNumber(decimal: decimal).doubleValue - value) <= abs(value) * 1e-12
            {
                self = .decimal(decimal, double: value)
            } else {
                self = .double(value)
            }
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([SnapshotValue].self) {
            self = .list(value)
        } else if let value = try? container.decode([String: SnapshotValue].self) {
            self = .object(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else {
            self = .data(try container.decode(Data.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if case .ambiguous(let value, _) = self { return try value.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        switch self {
        case .null, .ambiguous: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .decimal(let value, _): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .identifier(let value): try container.encode(value)
        }
    }

    func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> SnapshotValue {
        switch self {
        case .identifier(let identifier): .identifier(identifiers[identifier] ?? identifier)
        case .list(let list): .list(list.map { $0.remapped(identifiers) })
        default: self
        }
    }
}
