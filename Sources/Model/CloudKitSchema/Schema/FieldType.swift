package struct FieldType: Hashable, Sendable {
    /// The type of a single value.
    package enum Value: Hashable, Sendable {
        case asset
        case bytes
        case double
        case int64
        case location
        case reference
        case string
        case timestamp
        /// A number whose type the server has not settled, and the type it prefers, if any.
        case number(preferred: NumberType?)
        /// A word that is not part of the language.
        case unknown(String)
    }

    /// The type that a number without a settled type prefers.
    package enum NumberType: String, Hashable, Sendable {
        case int64 = "INT64"
        case double = "DOUBLE"
    }

    /// The type of the value, or of each element of a list.
    package var value: Value
    /// Whether the value is encrypted.
    package var isEncrypted: Bool
    package var isList: Bool

    /// Creates a type.
    package init(_ value: Value, isEncrypted: Bool = false, isList: Bool = false) {
        self.value = value
        self.isEncrypted = isEncrypted
        self.isList = isList
    }

    package static let asset = FieldType(.asset)
    package static let bytes = FieldType(.bytes)
    package static let double = FieldType(.double)
    package static let int64 = FieldType(.int64)
    package static let reference = FieldType(.reference)
    package static let string = FieldType(.string)
    package static let timestamp = FieldType(.timestamp)

    /// Returns the type with encrypted values.
    package var encrypted: FieldType { FieldType(value, isEncrypted: true, isList: isList) }

    /// The text of the language, as in an export.
    package var text: String {
        let inner = (isEncrypted ? "ENCRYPTED " : "") + value.text
        return isList ? "LIST<\(inner)>" : inner
    }
}

extension FieldType.Value {
    /// The types that are a single word.
    private static let words: [String: Self] = [
        "ASSET": .asset, "BYTES": .bytes, "DOUBLE": .double, "INT64": .int64, "LOCATION": .location,
        "REFERENCE": .reference, "STRING": .string, "TIMESTAMP": .timestamp,
    ]

    /// Reads a type that is a single word, case-insensitively.
    init?(word: String) {
        guard let value = Self.words[word.uppercased()] else { return nil }
        self = value
    }

    /// Whether the language has an encrypted form of the type.
    var canBeEncrypted: Bool {
        switch self {
        case .bytes, .double, .int64, .location, .string, .timestamp: true
        case .asset, .reference, .number, .unknown: false
        }
    }

    /// The text of the language.
    var text: String {
        switch self {
        case .asset: "ASSET"
        case .bytes: "BYTES"
        case .double: "DOUBLE"
        case .int64: "INT64"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .string: "STRING"
        case .timestamp: "TIMESTAMP"
        case .number(nil): "NUMBER"
        case .number(let preferred?): "NUMBER PREFERRED AS \(preferred.rawValue)"
        case .unknown(let word): word
        }
    }
}
