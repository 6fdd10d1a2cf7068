internal import Foundation

/// A sort descriptor, followed through the model.
struct SortKey {
    /// How values are compared.
    enum Order {
        /// As `compare:` does.
        case standard
        /// By another method, or a function of somebody else's, which get `NSNull` for no value.
        case comparator(Comparator)
        /// By the descriptor, which is given the objects.
        case objects(NSSortDescriptor)
    }

    let path: FetchKeyPath
    let isAscending: Bool
    let order: Order
    /// Whether what a store holds is enough to find the values.
    let readsStoredValues: Bool

    /// Reads a descriptor. A key that the model does not have, or one that passes a to-many relationship, traps.
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
        // A function may want to see the object.
        if case .attribute = path.end { readsStoredValues = path.isStored } else { readsStoredValues = false }
    }
}
