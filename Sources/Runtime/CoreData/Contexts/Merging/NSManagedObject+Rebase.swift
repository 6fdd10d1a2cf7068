/// Merging of values saved elsewhere beneath a context's own changes: both sides of relationships stay consistent, and
/// nothing is marked as changed.
extension NSManagedObject {
    /// Returns whether a slot's value differs from the snapshot's.
    final func isChangedFromSnapshot(at index: Int) -> Bool {
        guard let slots = loadedSlots, let snapshot else { return true }
        return !slots[index].isEqual(snapshot[index])
    }

    /// Sets an attribute or to-one relationship to the store's value.
    final func adopt(_ value: SlotValue, at index: Int) {
        let slots = writableSlots()
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
            case .managed(let reference): reference.object
            case .reference(let id): managedObjectContext?.registeredObject(for: id)
            default: nil
            }
        return object.flatMap { $0.isFault ? nil : $0 }
    }

    final func lose(_ object: NSManagedObject, at index: Int) {
        guard let slots = loadedSlots else { return }
        switch slots[index] {
        case .many(let members): members.storage.rebase(removing: object)
        case .managed(let other) where other.object === object: writableSlots()[index] = .null
        case .reference(let id) where id == object.objectID: writableSlots()[index] = .null
        default: break
        }
    }

    private final func gain(_ object: NSManagedObject, at index: Int) {
        guard let slots = loadedSlots else { return }
        if let storage = slots[index].memberStorage { storage.rebase(adding: object) }
        if layout.slots[index].kind == .toOne { writableSlots()[index] = .managed(object) }
    }

    /// Marks unchanged to-many relationships to be looked up again; changed ones get their changes reapplied to what
    /// was saved.
    ///
    /// - Parameters:
    ///   - objects: Objects of one context. The same relationship of all of them is looked up at once: over a network,
    ///     each request would take a round trip.
    ///   - roots: The names of the root entities of the members that may have changed; `nil` for all.
    static func rebaseMembers(of objects: [NSManagedObject], in roots: Set<String>? = nil) {
        struct Relationship: Hashable {
            var layout: ObjectIdentifier
            var index: Int
        }
        var positions: [Relationship: Int] = [:]
        // In the order of the objects, so that every run does the same.
        var changed: [(index: Int, members: [(object: NSManagedObject, storage: ToManyStorage)])] = []
        for object in objects where object.flags.isDisjoint(with: [.inserted, .isGone]) {
            guard let slots = object.state.pointee.slots else { continue }
            let layout = object.layout
            for index in layout.toManySlots {
                if let roots, !roots.contains(layout.slots[index].destinationRoot) { continue }
                guard let storage = slots[index].memberStorage else { continue }
                slots[index] = .null
                guard storage.isChanged else { continue }
                let relationship = Relationship(layout: ObjectIdentifier(layout), index: index)
                if let position = positions[relationship] {
                    changed[position].members.append((object, storage))
                } else {
                    positions[relationship] = changed.count
                    changed.append((index, [(object, storage)]))
                }
            }
        }
        // The lookup of a single one reads keys only.
        for (index, members) in changed where members.count > 1 {
            // A failure is reported when a relationship is looked up on its own.
            let first = members[0].object
            try? first.managedObjectContext?.lookUpMembers(at: index, of: members.map(\.object), first.layout)
        }
        for (index, members) in changed {
            for (object, storage) in members {
                let fresh = object.toMany(at: index)
                if fresh.isUnread {
                    // Its changes are applied once it can be read; until then, a save reports that.
                    storage.isUnread = true
                    object.writableSlots()[index] = .many(storage)
                } else {
                    object.reapplyChanges(of: storage, to: fresh, at: index)
                }
            }
        }
    }

    /// Applies the changes that a to-many relationship had to the members that were looked up again.
    final func reapplyChanges(of storage: ToManyStorage, to fresh: ToManyStorage, at index: Int) {
        guard storage.isChanged else { return }
        let (added, removed) = storage.changes
        let slot = layout.slots[index]
        for object in removed { fresh.remove(object) }
        for object in added where !object.isDeleted {
            if slot.inverse < 0 || slot.inverseIsToMany || object.toOne(at: slot.inverse) === self { fresh.add(object) }
        }
        if storage.isOrdered { fresh.replace(fresh.members.sorted(byPositionIn: storage.members.map(\.objectID))) }
    }

    /// Returns whether a to-one relationship that was changed here refers to a different object than in the store.
    final func hasOtherDestination(than id: NSManagedObjectID, at index: Int) -> Bool {
        guard !lacksValues, !flags.isDisjoint(with: [.updated, .inserted]) else { return false }
        return toOneID(at: index) != id && isChangedFromSnapshot(at: index)
    }

    /// Reverts unsaved changes of to-many relationships on their other sides.
    final func revertMembers() {
        guard let slots = loadedSlots else { return }
        for index in layout.toManySlots {
            let slot = layout.slots[index]
            guard slot.inverse >= 0, slot.inverseIsToMany, let storage = slots[index].memberStorage else { continue }
            let (added, removed) = storage.changes
            for object in added { object.lose(self, at: slot.inverse) }
            for object in removed where !object.isFault { object.gain(self, at: slot.inverse) }
        }
    }

    /// Removes objects that were deleted elsewhere from the relationships of registered objects.
    static func leaveRelationships(_ objects: [NSManagedObject]) {
        /// To-many relationships that some of the objects leave.
        var owners: [ObjectIdentifier: ToManyStorage] = [:]
        for object in objects {
            guard let slots = object.loadedSlots else { continue }
            let layout = object.layout
            for index in layout.toOneSlots + layout.toManySlots where layout.slots[index].inverse >= 0 {
                let inverse = layout.slots[index].inverse
                let others: [NSManagedObject]
                if let storage = slots[index].memberStorage {
                    others = storage.members
                } else {
                    others = object.loaded(slots[index]).map { [$0] } ?? []
                }
                for other in others {
                    if let loaded = other.loadedSlots, let storage = loaded[inverse].memberStorage {
                        owners[ObjectIdentifier(storage)] = storage
                    } else {
                        other.lose(object, at: inverse)
                    }
                }
            }
        }
        guard !owners.isEmpty else { return }
        for object in objects { object.flags.insert(.leaving) }
        for storage in owners.values { storage.rebaseRemovingLeaving() }
        for object in objects { object.flags.remove(.leaving) }
    }
}
