internal import Foundation
internal import RuntimeSupport

/// A sort descriptor, resolved against the model.
struct SortKey {
    /// The way in which values are compared.
    enum Order {
        /// As `compare:` does.
        case standard
        /// By another method or a custom function, which gets `NSNull` for a missing value.
        case comparator(Comparator)
        /// By the descriptor, which compares the objects themselves.
        case objects(NSSortDescriptor)
    }

    let path: FetchKeyPath
    let isAscending: Bool
    let order: Order
    /// Whether the values can be found from stored values alone.
    let readsStoredValues: Bool

    /// Whether the key is a stored attribute of the sorted objects, not of related ones.
    var isAttribute: Bool {
        if case .attribute = path.end { path.slots.count == 1 && !path.hasMore && readsStoredValues } else { false }
    }

    /// Creates a key from a descriptor. Traps if the model lacks its key or its key path passes a to-many relationship.
    init(_ descriptor: NSSortDescriptor, _ layout: EntityLayout) {
        isAscending = descriptor.ascending
        guard let key = descriptor.key else {
            path = FetchKeyPath([], layout)
            order = .objects(descriptor)
            readsStoredValues = false
            return
        }
        path = FetchKeyPath(key, layout)
        if key.split(separator: ".").contains(where: { $0.hasPrefix("@") }) {
            misuse(
                "NSInvalidArgumentException",
                "Keypath containing KVC aggregate where there shouldn't be one; failed to handle \(key)")
        }
        if path.passesToMany { misuse("NSInvalidArgumentException", "to-many key not allowed here (\(key))") }
        guard !path.hasMore else {
            order = .objects(descriptor)
            readsStoredValues = false
            return
        }
        guard let comparator = (descriptor as? KeySortDescriptor)?.valueOrder else {
            order = .standard
            readsStoredValues = path.isStored
            return
        }
        order = .comparator(comparator)
        // A function may access the object itself.
        if case .attribute = path.end { readsStoredValues = path.isStored } else { readsStoredValues = false }
    }
}
