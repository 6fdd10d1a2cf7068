internal import Foundation
internal import RuntimeSupport

/// An object's state before an event's first change of it.
struct EventRecord {
    let object: NSManagedObject
    /// The values before the change, or `nil` if they equal the snapshot and the change cannot be undone.
    let slots: [SlotValue]?
    /// The to-many relationships that were looked up, by slot: `slots` refers to their current members.
    var members: [Int: EarlierMembers] = [:]
    let flags: ObjectState.Flags
    /// Whether the event can be undone.
    var canBeUndone = false
    /// Whether the object entered the context in this event.
    var isNew = false
}

/// Recording and processing of changes.
extension NSManagedObjectContext {
    /// Records that an object is about to change.
    final func recordChange(of object: NSManagedObject) {
        checkQueue()
        recordEvent(object)
        guard !object.flags.contains(.listed) else { return }
        object.mark(.listed)
        if object.flags.isDisjoint(with: [.inserted, .deleted]) { object.flags.insert(.updated) }
        pending.list(object)
    }

    /// Records an object's state before the event's first change of it.
    final func recordEvent(_ object: NSManagedObject, isNew: Bool = false) {
        guard !object.flags.contains(.inEvent) else { return }
        let canBeUndone = undoManager?.isUndoRegistrationEnabled == true
        let needsCopy = canBeUndone || object.flags.contains(.listed)
        let before = needsCopy ? object.slotsBeforeEvent() : nil
        pending.record(
            EventRecord(
                object: object, slots: before?.slots, members: before?.members ?? [:], flags: object.flags,
                canBeUndone: canBeUndone, isNew: isNew))
        object.mark(.inEvent)
        scheduleProcessing()
    }

    /// Records that an object got new values which are not a change: observers learn of it when changes are processed.
    final func recordRefresh(of object: NSManagedObject) {
        contents.changes.refreshed.append(object)
        scheduleProcessing()
    }

    /// Records the members before the event of a relationship that is looked up after the object's first change.
    final func recordLookup(of object: NSManagedObject, at index: Int, _ storage: ToManyStorage) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        pending.recordLookup(of: object, at: index, EarlierMembers(storage))
    }

    /// Code on the main queue need not call `perform`: changes are processed at the end of this turn of the queue, as
    /// Apple's framework does at the end of the event.
    private final func scheduleProcessing() {
        guard concurrencyType == .mainQueueConcurrencyType, !processing.isScheduled, ContextQueue.isMain else { return }
        processing.isScheduled = true
        executor.async { [weak self] in
            guard let self else { return }
            processing.isScheduled = false
            processPendingChanges()
        }
    }

    /// Returns the values that an object had before this event, for the properties that have changed.
    final func oldValuesOfEvent(_ object: NSManagedObject) -> [String: Any] {
        guard let record = pending.record(of: object), let slots = object.loadedSlots else {
            return [:]
        }
        let old = record.slots ?? object.snapshot.map { Array($0.values) } ?? object.layout.defaults
        let left = slotsLeftByDeletion(of: object, record)
        var result: [String: Any] = [:]
        for index in object.layout.slots.indices
        where !object.layout.slots[index].isTransient && (left.contains(index) || !old[index].isEqual(slots[index])) {
            switch (object.layout.slots[index].kind, old[index]) {
            case (.toMany, .null) where record.slots == nil && record.flags.isDisjoint(with: .listed):
                guard let now = slots[index].memberStorage, now.isChanged || left.contains(index) else { continue }
                let before = ToManyStorage(isOrdered: now.isOrdered, now.lastSaved)
                guard now.isChanged || before.count > 0 else { continue }
                result[object.layout.slots[index].name] = before.collection
            case (.attribute, let value): result[object.layout.slots[index].name] = value.anyValue ?? NSNull()
            case (.toOne, .managed(let other)): result[object.layout.slots[index].name] = other.object
            case (.toOne, .reference(let id)): result[object.layout.slots[index].name] = self.object(with: id)
            case (.toOne, _) where slots[index].isNull: break
            case (.toOne, _): result[object.layout.slots[index].name] = NSNull()
            case (.toMany, .many):
                guard let storage = record.members[index]?.members, let now = slots[index].memberStorage,
                    !storage.hasSameMembers(as: now) || left.contains(index) && storage.count > 0
                else { continue }
                result[object.layout.slots[index].name] = storage.collection
            case (.toMany, _), (.fetched, _): break
            }
        }
        return result
    }

    /// Returns the relationships that an object has left by its deletion in this event: its own side of them, which
    /// Apple's framework clears, keeps its value here.
    private final func slotsLeftByDeletion(of object: NSManagedObject, _ record: EventRecord) -> Set<Int> {
        guard object.isMarkedDeleted, record.flags.isDisjoint(with: .deleted), !object.flags.contains(.deletedInEvent)
        else { return [] }
        return Set(
            object.layout.deletionSlots.lazy
                .filter { $0.rule == .nullifyDeleteRule || $0.rule == .cascadeDeleteRule }.map(\.index))
    }

    // MARK: The end of an event

    /// Processes changes, unless an object is being inserted: observers must not see it before it is complete.
    final func processChangesBeforeFetch() {
        if processing.awakening == 0 { processChanges() }
    }

    /// Applies delete rules, records undo actions, and notifies observers.
    final func processChanges() {
        guard !processing.isRunning else { return }
        checkQueue()
        guard !pending.event.isEmpty || !pending.deleted.isEmpty || !contents.changes.isEmpty else { return }
        WorkCount.record(pending.event.list.count)
        processing.isRunning = true
        if propagatesDeletesAtEndOfEvent { propagateDeletes() }
        let (records, changes) = (pending.beginPosting(), contents.changes.take())
        for index in records.indices { records[index].object.flags.remove(.inEvent) }
        processing.isRunning = false
        if !undoRecording.isSuspended { EventUndo(context: self).register(records) }
        pending.forgetLookups()
        EventNotification(context: self, records: records, changes: changes).post()
        pending.endPosting()
        // Unless they can be restored, objects that came and went within events are forgotten. A save may have inserted
        // them, if its outcome is unknown.
        guard pending.uncertain == nil else { return }
        discardInsertedAndDeleted(records.lazy.filter { !$0.canBeUndone }.map(\.object))
    }
}
