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
        case .text(let text):
            return text.count > 80 ? "“\(text.prefix(60))…” (\(text.utf8.count) bytes)" : "“\(text)”"
        case .bytes(let data):
            let head = data.prefix(16).map { String(format: "%02x", $0) }.joined()
            return data.count > 16 ? "<\(head)…> (\(data.count) bytes)" : "<\(head)>"
        }
    }

    /// The normalized value for comparisons: SQLite stores integers in a real column in either form.
    var compared: StoreContents.Value {
        if case .real(let number) = self, let whole = Int64(exactly: number) { return .integer(whole) }
        return self
    }
}
