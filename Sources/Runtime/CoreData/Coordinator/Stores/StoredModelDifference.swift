internal import Foundation

/// The differences between a model's entities and those that a store was created with.
struct StoredModelDifference {
    /// Entities of the model that the store does not have.
    var added: [String]
    /// Entities of the store that the model does not have.
    var removed: [String]
    /// Entities with another version hash.
    var changed: [String]

    /// The maximum number of names of one kind in a message.
    private static let nameLimit = 10

    /// Compares the version hashes of a model with those of a store.
    init(model: [String: Data], store: [String: Data]) {
        added = model.keys.filter { store[$0] == nil }.sorted()
        removed = store.keys.filter { model[$0] == nil }.sorted()
        changed = model.keys.filter { name in store[name].map { $0 != model[name] } ?? false }.sorted()
    }

    /// The differences in one line, such as “added: A, B; changed: C”, or `nil` if there are none.
    var summary: String? {
        let parts = [("added", added), ("removed", removed), ("changed", changed)].compactMap { label, names in
            names.isEmpty ? nil : "\(label): \(Self.list(names))"
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(nameLimit).joined(separator: ", ")
        let rest = names.count - nameLimit
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}
