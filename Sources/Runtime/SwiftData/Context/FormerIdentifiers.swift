internal import CoreData

/// The identifiers that models had before they were inserted, by which they are still found.
struct FormerIdentifiers {
    private struct Entry {
        weak var object: ModelObject?
    }

    private var entries: [PersistentIdentifier: Entry] = [:]
    /// The number of entries at which those of released objects are dropped.
    private var limit = 64

    /// Records the identifier that the model of a new object had.
    mutating func insert(_ identifier: PersistentIdentifier, of object: ModelObject) {
        entries[identifier] = Entry(object: object)
        guard entries.count >= limit else { return }
        entries = entries.filter { $0.value.object != nil }
        limit = max(64, 2 * entries.count)
    }

    /// Returns the object of the model that had an identifier, or `nil` if there is none.
    func object(for identifier: PersistentIdentifier) -> ModelObject? {
        identifier.managed == nil && identifier.isTemporary ? entries[identifier]?.object : nil
    }
}
