internal import CoreData
internal import Foundation

/// The difference between two stores.
struct StoreDifference {
    /// An object that differs, or that only one store has.
    struct ObjectChange {
        /// The change from the first store to the second.
        enum Kind: String {
            case removed
            case added
            case changed
        }

        var kind: Kind
        /// The entity, named as in the first model if it has the entity.
        var entity: String
        /// The key of the object: its primary key, or the values of its key attributes.
        var key: String
        /// The values that differ.
        var values: [ValueChange] = []
    }

    /// A property with different values.
    struct ValueChange {
        var property: String
        var old: String
        var new: String
    }

    /// The objects that differ, by entity.
    var objects: [ObjectChange] = []
    /// The number of equal objects of entities that both stores have.
    var equalCount = 0
    /// Properties that only one model has, which are not compared: `Entity.name`.
    var removedProperties: [String] = []
    var addedProperties: [String] = []
    /// Entities that only one model has.
    var removedEntities: [String] = []
    var addedEntities: [String] = []

    /// Whether the stores have the same objects with the same values, for entities and properties of both models.
    var isEmpty: Bool { objects.isEmpty }
}

extension StoreContents.Value {
    /// The value as human-readable text on one line. Large values are summarized.
    var shown: String {
        switch self {
        case .null: return "nil"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            return text.count > 80 ? "“\(text.prefix(60))…” (\(bytes.count) bytes)" : "“\(text)”"
        case .bytes(let data):
            let head = data.prefix(16).map { String(format: "%02x", $0) }.joined()
            return data.count > 16 ? "<\(head)…> (\(data.count) bytes)" : "<\(head)>"
        }
    }

    /// Returns the value as text that differs from that of another value.
    func shown(besides other: StoreContents.Value) -> String {
        // Strings with composed and decomposed letters are equal in Swift.
        guard shown == other.shown, case .text(let text) = self, case .text(let otherText) = other else { return shown }
        let escaped = String(decoding: text, as: UTF8.self).escapingNonASCII
        if escaped.count <= 80, escaped != String(decoding: otherText, as: UTF8.self).escapingNonASCII {
            return "“\(escaped)”"
        }
        let start = zip(text, otherText).prefix { $0 == $1 }.count
        let rest = text[start...].prefix(8).map { String(format: "%02x", $0) }.joined()
        return "\(shown), from byte \(start): <\(rest)>"
    }

    /// The normalized value for comparisons: SQLite stores integers in a real column in either form.
    var compared: StoreContents.Value {
        if case .real(let number) = self, let whole = Int64(exactly: number) { return .integer(whole) }
        return self
    }
}

extension String {
    /// The text with escapes for everything but ASCII.
    fileprivate var escapingNonASCII: String {
        unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }.joined()
    }
}

/// What identifies an object of a store in messages.
///
/// Identities are equal if their bytes are: strings with composed and decomposed letters are equal to Swift, and
/// different to a store.
struct ObjectIdentity: Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static func == (left: ObjectIdentity, right: ObjectIdentity) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}
