internal import CoreData
internal import Foundation

/// The reference in the object IDs of a custom store: it keeps the store's identifier, which a save changes.
final class BridgeReference: Hashable, CustomStringConvertible, @unchecked Sendable {
    private let lock = NSLock()
    private var current: PersistentIdentifier

    init(_ identifier: PersistentIdentifier) { current = identifier }

    var identifier: PersistentIdentifier {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }

    var description: String { identifier.primaryKey }
    static func == (lhs: BridgeReference, rhs: BridgeReference) -> Bool { lhs === rhs }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The references of a custom store's identifiers, as long as an ID has them. Thread-safe: identifiers are also made
/// outside of the coordinator's lock.
final class BridgeReferences: @unchecked Sendable {
    private struct Weak {
        weak var reference: BridgeReference?
    }

    private let lock = NSLock()
    private var table: [PersistentIdentifier: Weak] = [:]
    /// The number of entries at which those of released references are removed.
    private var limit = 256

    func reference(of identifier: PersistentIdentifier) -> BridgeReference {
        lock.withLock {
            if let reference = table[identifier]?.reference { return reference }
            let new = BridgeReference(identifier)
            add(new, identifier)
            return new
        }
    }

    func rename(_ identifier: PersistentIdentifier, to new: PersistentIdentifier) {
        lock.withLock {
            guard let reference = table.removeValue(forKey: identifier)?.reference else { return }
            reference.identifier = new
            add(reference, new)
        }
    }

    private func add(_ reference: BridgeReference, _ identifier: PersistentIdentifier) {
        table[identifier] = Weak(reference: reference)
        guard table.count > limit else { return }
        table = table.filter { $0.value.reference != nil }
        limit = max(256, table.count * 2)
    }
}
