/// Merging of values saved elsewhere beneath a context's own changes: both sides of relationships stay consistent, and
/// nothing is marked as changed.
extension NSManagedObject {
    /// Returns whether a slot's value differs from the snapshot's.
    final func isChangedFromSnapshot(at index: Int) -> Bool {
        guard let slots = loadedSlots, let snapshot else { return true }
        return !slots[index].isEqual(snapshot[index])
    }

    /// Sets an attribute or to-one relationship to the store's value.
    final func takeOver(_ value: SlotValue, at index: Int) {
        let slots = ownSlots()
        let slot = layout.slots[index]
        guard slot.kind == .toOne, slot.inverse >= 0 else {
            slots[index] = value
            return
        }
        let old = loaded(slots[index])
        slots[index] = value
        old?.lose(self, at: slot.inverse)
        loaded(value)?.gain(self, at: slot.inverse)
    }

    /// Returns the object at the other end if it is registered here with its values loaded.
    private final func loaded(_ value: SlotValue) -> NSManagedObject? {
        let object: NSManagedObject? =
            switch value {
            case .managed(let object): object
            case .reference(let id): managedObjectContext?.registeredObject(for: id)
            default: nil
            }
        return object.flatMap { $0.isFault ? nil : $0 }
    }

    final func lose(_ object: NSManagedObject, at index: Int) {
        guard let slots = loadedSlots else { return }
        switch slots[index] {
        case .many(let storage): storage.rebase(removing: object)
        case .managed(let other) where other === object: ownSlots()[index] = .null
        case .reference(let id) where id == object.objectID: ownSlots()[index] = .null
        default: break
        }
    }

    private final func gain(_ object: NSManagedObject, at index: Int) {
        guard let slots = loadedSlots else { return }
        if case .many(let storage) = slots[index] { storage.rebase(adding: object) }
        if layout.slots[index].kind == .toOne { ownSlots()[index] = .managed(object) }
    }

    /// Makes unchanged to-many relationships be looked up again; changed ones get their changes reapplied to what was
    /// saved.
    final func rebaseMembers() {
        guard !isInserted, !flags.contains(.shared), state.pointee.slots != nil else { return }
        let slots = ownSlots()
        for index in layout.toManySlots {
            guard case .many(let storage) = slots[index] else { continue }
            slots[index] = .null
            guard storage.isChanged else { continue }
            let (added, removed) = storage.changes
            let slot = layout.slots[index]
            let fresh = toMany(at: index)
            for object in removed { fresh.remove(object) }
            for object in added where !object.isDeleted {
                if slot.inverse < 0 || slot.inverseIsToMany || object.toOne(at: slot.inverse) === self {
                    fresh.add(object)
                }
            }
            if storage.isOrdered { fresh.replace(fresh.members.sorted(byPlaceIn: storage.members.map(\.objectID))) }
        }
    }

    /// Returns whether a to-one relationship that was changed here refers to a different object than in the store.
    final func leadsElsewhere(than id: NSManagedObjectID, at index: Int) -> Bool {
        guard state.pointee.slots != nil, !flags.isDisjoint(with: [.updated, .inserted]) else { return false }
        return toOneID(at: index) != id && isChangedFromSnapshot(at: index)
    }

    /// Reverts unsaved changes of to-many relationships on their other sides.
    final func takeBackMembers() {
        guard let slots = loadedSlots else { return }
        for index in layout.toManySlots {
            let slot = layout.slots[index]
            guard slot.inverse >= 0, slot.inverseIsToMany, case .many(let storage) = slots[index] else { continue }
            let (added, removed) = storage.changes
            for object in added { object.lose(self, at: slot.inverse) }
            for object in removed where !object.isFault { object.gain(self, at: slot.inverse) }
        }
    }

    /// Removes an object that was deleted elsewhere from the relationships of registered objects.
    final func leaveRelationships() {
        guard let slots = loadedSlots else { return }
        for index in layout.toOneSlots + layout.toManySlots where layout.slots[index].inverse >= 0 {
            let inverse = layout.slots[index].inverse
            if case .many(let storage) = slots[index] {
                for object in storage.members { object.lose(self, at: inverse) }
            } else {
                loaded(slots[index])?.lose(self, at: inverse)
            }
        }
    }
}
