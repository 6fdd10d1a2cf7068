internal import Foundation

/// Undo of a context's events: records what they changed, and reverts it.
///
/// Used on the queue of the context.
struct EventUndo {
    let context: NSManagedObjectContext

    /// Records the changes of an event.
    func register(_ records: [EventRecord]) {
        guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return }
        let kept = records.compactMap(complete)
        guard !kept.isEmpty else { return }
        undoManager.registerUndo(withTarget: context) { EventUndo(context: $0).restore(kept) }
    }

    /// Returns an undoable record for an event's record, or `nil` if it changed nothing.
    private func complete(_ record: EventRecord) -> UndoRecord? {
        guard record.canBeUndone, var before = record.slots else { return nil }
        let object = record.object
        // A refresh within the event has already discarded the change.
        guard !object.isFault else { return nil }
        for index in object.layout.toOneSlots {
            // The IDs of objects change when their deletion is saved and then undone.
            guard case .reference(let id) = before[index], let other = context.registeredObject(for: id) else {
                continue
            }
            before[index] = .managed(other)
        }
        let earlier = record.members.merging(context.pending.lookups[ObjectIdentifier(object)] ?? [:]) { recorded, _ in
            recorded
        }
        var members: [Int: MembersChange] = [:]
        for index in object.layout.toManySlots {
            guard let old = earlier[index] else { continue }
            members[index] = old.change(to: object.toMany(at: index))
            // All members, only where an object is to become a new one.
            before[index] = object.isMarkedDeleted ? .many(old.members) : .null
        }
        var after: [Int: SlotValue] = [:]
        for (index, slot) in object.layout.slots.enumerated() {
            switch slot.kind {
            case .fetched, .toMany: continue
            case .attribute, .toOne:
                let new = object.realizedSlots()[index]
                if !before[index].isEqual(new) { after[index] = new }
            }
        }
        return UndoRecord(
            object: object, flags: record.flags, isNew: record.isNew, before: before, after: after, members: members)
    }

    /// Reverts an event. The records cover both sides of each relationship that the event changed.
    private func restore(_ records: [UndoRecord]) {
        context.processChanges()
        context.announcing {
            // All objects first: their values refer to each other.
            let restorations = records.compactMap(prepare)
            for restoration in restorations { begin(restoration) }
            for restoration in restorations { restoreValues(restoration) }
            for restoration in restorations { finish(restoration) }
        }
        _ = context.pending.takeDeleted()
        context.processChanges()
    }

    /// Prepares an object for its old values: a fault is loaded, so that the change is tracked against the currently
    /// saved values.
    ///
    /// - Returns: The restoration, or `nil` if another context has deleted the object and saved.
    private func prepare(_ record: UndoRecord) -> Restoration? {
        let object = record.object
        guard !object.flags.contains(.isGone) else { return nil }
        let isReregistered = object.managedObjectContext == nil
        if isReregistered { reregister(object) }
        object.realize()
        guard !object.flags.contains(.isGone) else { return nil }
        // Looked up while objects about to be deleted still count as members.
        if !isReregistered {
            for index in record.members.keys { _ = object.toMany(at: index) }
        }
        return Restoration(record: record, isReregistered: isReregistered, wasDeleted: object.isDeleted)
    }

    private func begin(_ restoration: Restoration) {
        let (record, object) = (restoration.record, restoration.record.object)
        context.recordEvent(object)
        if record.isNew || record.flags.contains(.deleted) {
            object.become(object.isMarkedInserted ? .scratched : .deleted)
        } else if object.isMarkedDeleted {
            object.flags.remove(.deletedInEvent)
            object.become(object.isMarkedInserted ? .inserted : .saved)
        }
    }

    /// Restores the values that the event changed. Later saves and merges of other properties are kept.
    private func restoreValues(_ restoration: Restoration) {
        let (record, object) = (restoration.record, restoration.record.object)
        // Its old values may refer to objects that have got new IDs.
        if restoration.isReregistered { return restoreAll(record) }
        for (index, after) in record.after where !isKept(index, of: record) {
            object.restore(usable(record.before[index]), replacing: after, at: index)
        }
        for (index, change) in record.members where !isKept(index, of: record) {
            object.toMany(at: index).revert(change, isUsable: isUsable)
        }
    }

    /// Whether a property of an object whose insertion is undone keeps its value, which can still be read.
    /// Relationships with an inverse follow the other sides.
    private func isKept(_ index: Int, of record: UndoRecord) -> Bool {
        record.isNew && record.object.layout.slots[index].inverse < 0
    }

    /// Restores all values of an object that becomes a new one. It still has the members of the time when it left the
    /// context, if the event did not record all of them.
    private func restoreAll(_ record: UndoRecord) {
        let object = record.object
        var values = record.before
        var partial: Set<Int> = []
        for index in object.layout.toManySlots {
            guard case .null = values[index], let storage = object.loadedSlots?[index].memberStorage else { continue }
            values[index] = .many(storage)
            partial.insert(index)
        }
        object.restoreSlots(values.map(usable))
        for (index, change) in record.members where partial.contains(index) {
            object.toMany(at: index).revert(change, isUsable: isUsable)
        }
    }

    private func isUsable(_ object: NSManagedObject) -> Bool {
        object.managedObjectContext === context && !object.isDeleted
    }

    /// Returns a value without objects that no longer exist.
    private func usable(_ value: SlotValue) -> SlotValue {
        switch value {
        case .managed(let other) where !isUsable(other.object): return .null
        case .many(let members) where !members.storage.members.allSatisfy(isUsable):
            let storage = members.storage
            return .many(ToManyStorage(isOrdered: storage.isOrdered, storage.members.filter(isUsable)))
        default: return value
        }
    }

    private func finish(_ restoration: Restoration) {
        let (record, object) = (restoration.record, restoration.record.object)
        list(object)
        // An object that was never saved is now inserted and deleted: a save drops it, and redo restores it.
        if record.isNew { return object.awake(fromSnapshotEvents: .undoInsertion) }
        if !object.isDeleted, !object.isInserted {
            object.flags.insert(.updated)
            if !record.flags.contains(.updated), object.changedSlots().isEmpty {
                object.flags.remove(.updated)
                object.unlist()
            }
        }
        object.awake(fromSnapshotEvents: restoration.wasDeleted ? .undoDeletion : .undoUpdate)
    }

    /// Re-registers an object whose deletion was saved. It is then a new object.
    private func reregister(_ object: NSManagedObject) {
        object.enter(context)
        context.forgetRow(of: object)
        object.become(.inserted)
        object.become(.scratched)
        context.registry[object.objectID] = object
    }

    private func list(_ object: NSManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.mark(.listed)
        context.pending.list(object)
    }
}

/// The effect of an event on an object.
private struct UndoRecord {
    let object: NSManagedObject
    /// The flags before the event.
    let flags: ObjectState.Flags
    /// Whether the object entered the context in the event.
    let isNew: Bool
    /// All values before the event; `null` for a to-many relationship, unless the event has deleted the object.
    let before: [SlotValue]
    /// The values after the event, for the attributes and to-one relationships that it changed.
    let after: [Int: SlotValue]
    /// The changes of to-many relationships.
    let members: [Int: MembersChange]
}

/// An object whose old values are being restored.
private struct Restoration {
    let record: UndoRecord
    /// Whether the object re-enters the context, which it had left when its deletion was saved.
    let isReregistered: Bool
    let wasDeleted: Bool
}

extension NSManagedObject {
    /// Restores the value of an attribute or a to-one relationship from before an event.
    ///
    /// - Parameter after: The value after the event. The property may have a different one now, merged from another
    ///   context.
    fileprivate final func restore(_ before: SlotValue, replacing after: SlotValue, at index: Int) {
        guard layout.slots[index].kind == .toOne else { return writableSlots()[index] = before }
        let current = writableSlots()[index]
        let displaced = current.isEqual(before) || current.isEqual(after) ? nil : toOne(at: index)
        writableSlots()[index] = before
        let slot = layout.slots[index]
        if slot.inverse >= 0 { displaced?.removeInverse(self, at: slot.inverse, slot.inverseIsToMany) }
    }
}
