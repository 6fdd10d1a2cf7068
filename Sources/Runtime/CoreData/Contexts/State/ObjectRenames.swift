internal import Foundation

/// The permanent IDs that replaced temporary ones.
///
/// Child contexts know objects by temporary IDs when the parent saves them; they adopt the new IDs the next time they
/// access the parent. Used on the context's queue, except for members marked as thread-safe.
final class ObjectRenames: @unchecked Sendable {
    private typealias Rename = (old: NSManagedObjectID, new: NSManagedObjectID)

    private let lock = NSLock()
    private var table: [NSManagedObjectID: NSManagedObjectID] = [:]
    private var reversed: [NSManagedObjectID: NSManagedObjectID] = [:]
    /// The entries that a child may not have adopted yet, in order.
    private var log: [Rename] = []
    /// The number of entries that were removed from the beginning of the log.
    private var removedCount = 0
    /// The number of entries of the parent's log that have been adopted.
    private var adopted = 0
    /// Whether the context may know an object of its parent by a temporary ID, so that it needs the parent's entries.
    private var needsEntries = false
    /// The number of entries at which the next sweep takes place.
    private var sweepLimit = smallestSweep

    private static let smallestSweep = 1024

    /// The permanent ID that replaced a temporary one.
    subscript(id: NSManagedObjectID) -> NSManagedObjectID? {
        // Only the context's own queue writes the table.
        id.isTemporaryID && !table.isEmpty ? table[id] : nil
    }

    /// Returns the temporary ID that an object had before it got a permanent one. Thread-safe.
    func temporaryID(before id: NSManagedObjectID) -> NSManagedObjectID? {
        lock.withLock { reversed.isEmpty ? nil : reversed[id] }
    }

    func add(_ old: NSManagedObjectID, _ new: NSManagedObjectID) {
        lock.withLock {
            table[old] = new
            reversed[new] = old
            log.append((old, new))
        }
    }

    /// Begins to follow a parent, whose earlier entries do not matter: the context is new, or has no objects.
    func follow(_ parent: ObjectRenames) {
        let end = parent.lock.withLock { parent.removedCount + parent.log.count }
        lock.withLock { adopted = end }
    }

    /// Returns the parent's entries that have not been adopted yet.
    func changes(of parent: ObjectRenames) -> [(old: NSManagedObjectID, new: NSManagedObjectID)] {
        let count = lock.withLock { adopted }
        let (changes, end) = parent.lock.withLock {
            // A context that did not need its parent's entries may lack removed ones.
            (Array(parent.log.dropFirst(max(0, count - parent.removedCount))), parent.removedCount + parent.log.count)
        }
        lock.withLock { adopted = end }
        return changes
    }

    /// Records whether the context may know an object of its parent by a temporary ID. Thread-safe.
    func setNeedsEntries(_ needsEntries: Bool) { lock.withLock { self.needsEntries = needsEntries } }

    /// The number of entries of the parent's log that have been adopted; `nil` if the context does not need them.
    private var requiredEntries: Int? { lock.withLock { needsEntries ? adopted : nil } }

    /// Removes entries that are no longer needed, once there are many: those that all children have adopted, of objects
    /// that are not registered.
    func sweep(_ registry: ObjectRegistry, children: [NSManagedObjectContext]) {
        guard table.count >= sweepLimit else { return }
        let adopted = children.compactMap(\.renames.requiredEntries).min()
        lock.withLock {
            let count = (adopted ?? .max) - removedCount
            let removed = log.prefix(max(0, count))
            log.removeFirst(removed.count)
            removedCount += removed.count
            var kept = Dictionary(log.map { ($0.old, $0.new) }) { _, last in last }
            for (old, new) in table where registry[new] != nil { kept[old] = new }
            table = kept
            reversed = Dictionary(kept.map { ($1, $0) }) { first, _ in first }
            sweepLimit = max(Self.smallestSweep, kept.count * 2)
        }
    }

    /// The number of entries, for tests.
    var count: Int { lock.withLock { max(table.count, log.count) } }

    /// Removes all entries, in a context without children that could need them.
    func removeAll() {
        lock.withLock {
            table = [:]
            reversed = [:]
            removedCount += log.count
            log = []
            sweepLimit = Self.smallestSweep
        }
    }
}

extension NSManagedObjectContext {
    /// Runs code on the parent's queue, after adopting its permanent IDs.
    final func ask<Result>(
        _ parent: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        try executor.performingRequest {
            try parent.performAndWait {
                adoptRenames(of: parent)
                defer {
                    // Objects of ancestors further up may be known here without being registered in the parent.
                    renames.setNeedsEntries(parent.parent != nil || parent.registry.hasTemporaryIDs)
                }
                return try body()
            }
        }
    }

    /// Assigns to objects the permanent IDs of their counterparts in the parent.
    private final func adoptRenames(of parent: NSManagedObjectContext) {
        let changes = renames.changes(of: parent.renames)
        guard !changes.isEmpty else { return }
        for rename in changes {
            if let object = registry[rename.old] {
                setID(rename.new, of: object)
            } else {
                renames.add(rename.old, rename.new)
            }
        }
        for object in registry.objects { object.adopt(renames) }
        renames.sweep(registry, children: childContexts)
        parent.renames.sweep(parent.registry, children: parent.childContexts)
    }

    /// Returns the registered object of a permanent ID that an ancestor has assigned and this context has not adopted
    /// yet.
    final func objectAwaitingID(_ id: NSManagedObjectID) -> NSManagedObject? {
        guard !id.isTemporaryID else { return nil }
        var ancestor = parent
        while let context = ancestor {
            if let old = context.renames.temporaryID(before: id), let object = registry[old] { return object }
            ancestor = context.parent
        }
        return nil
    }
}

extension NSManagedObject {
    /// Replaces temporary IDs in values that are not resolved to objects yet, and in the snapshot, so the two stay
    /// equal.
    fileprivate final func adopt(_ renames: ObjectRenames) {
        func new(_ value: SlotValue) -> SlotValue? {
            guard case .reference(let id) = value else { return nil }
            return renames[id].map { .reference($0) }
        }
        if let slots = loadedSlots {
            for index in layout.toOneSlots { if let value = new(slots[index]) { writableSlots()[index] = value } }
        }
        guard let snapshot,
            layout.toOneSlots.contains(where: { new(snapshot[$0]) != nil })
        else { return }
        self.snapshot = Row.make(snapshot.values.map { new($0) ?? $0 }, version: snapshot.version)
    }
}
