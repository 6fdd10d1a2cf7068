internal import Foundation

/// What a context records for undo.
extension NSManagedObjectContext {
    /// Records the changes of an event.
    final func registerUndo(_ records: [EventRecord]) {
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
        let kept = records.compactMap(complete)
        guard !kept.isEmpty else { return }
        undoManager.registerUndo(withTarget: self) { $0.restore(kept) }
    }

    /// A relationship of an object that has changed in this event is looked up only now: these were its members before.
    final func noteLookup(of object: NSManagedObject, at index: Int, _ storage: ToManyStorage) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        lookups[ObjectIdentifier(object), default: [:]][index] = storage.copy()
    }

    /// What an object was, with relationships as objects: their IDs change when a deletion is saved and then undone. Nil when
    /// nobody has recorded it.
    private final func complete(_ record: EventRecord) -> EventRecord? {
        guard record.canBeUndone, var slots = record.slots else { return nil }
        let object = record.object
        for index in object.layout.toOneSlots {
            guard case .reference(let id) = slots[index], let other = registeredObject(for: id) else { continue }
            slots[index] = .managed(other)
        }
        for (index, storage) in lookups[ObjectIdentifier(object)] ?? [:] {
            if case .null = slots[index] { slots[index] = .many(storage) }
        }
        return EventRecord(
            object: object, flags: record.flags, slots: slots, canBeUndone: true, isNew: record.isNew)
    }

    /// Makes objects again what they were before an event. All objects of the event are there, so that both sides of each
    /// relationship come back.
    private final func restore(_ records: [EventRecord]) {
        processChanges()
        announcing { for record in records { restore(record) } }
        deletedInEvent = []
        processChanges()
    }

    private final func restore(_ record: EventRecord) {
        let object = record.object
        // What others have deleted, and saved, does not come back.
        guard let values = record.slots, !object.flags.contains(.isGone) else { return }
        if object.managedObjectContext == nil { takeUpAgain(object) }
        let isDeletedNow = object.isDeleted
        recordEvent(object)
        object.restoreSlots(values)
        if record.isNew {
            undoInsertion(of: object)
            object.awake(fromSnapshotEvents: .undoInsertion)
            return
        }
        if record.flags.contains(.deleted) {
            object.flags.insert(.deleted)
        } else if isDeletedNow {
            object.flags.remove([.deleted, .deletedInEvent, .isGone])
        }
        list(object)
        if !object.isDeleted, !object.isInserted {
            object.flags.insert(.updated)
            if !record.flags.contains(.updated), object.changedSlots().isEmpty {
                object.flags.remove([.updated, .listed])
                changed.removeAll { $0 === object }
            }
        }
        object.awake(fromSnapshotEvents: isDeletedNow ? .undoDeletion : .undoUpdate)
    }

    /// An object whose deletion was saved is new when it comes back.
    private final func takeUpAgain(_ object: NSManagedObject) {
        object.enter(self)
        registry.forget(Unmanaged.passUnretained(object))
        object.identity = NSManagedObject.Identity(key: 0)
        object.snapshot = nil
        object.flags = object.flags.intersection(.shared).union([.inserted, .deleted])
        registry[object.objectID] = object
    }

    private final func undoInsertion(of object: NSManagedObject) {
        if object.isInserted {
            // Neither new nor there: `save` lets it go, and redo brings it back.
            object.flags.insert(.deleted)
            list(object)
        } else {
            object.flags.insert(.deleted)
            list(object)
        }
    }

    private final func list(_ object: NSManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.mark(.listed)
        changed.append(object)
    }
}
