internal import Foundation
internal import RuntimeSupport

/// Relationships, whose inverses are kept consistent.
extension NSManagedObject {
    final func setToOne(_ new: NSManagedObject?, at index: Int) {
        let old = toOne(at: index)
        guard old !== new else { return recordChange() }
        guard observers != nil else { return replaceToOne(old, new, at: index) }
        announcing(index) { replaceToOne(old, new, at: index) }
    }

    private final func replaceToOne(_ old: NSManagedObject?, _ new: NSManagedObject?, at index: Int) {
        let (inverse, inverseIsToMany) = (layout.slots[index].inverse, layout.slots[index].inverseIsToMany)
        // Looked up while this side still refers to it: later the object would not be among the members, and its
        // removal not count as a change of the owner.
        if inverse >= 0, inverseIsToMany { _ = old?.toMany(at: inverse) }
        store(new, at: index)
        guard inverse >= 0 else { return }
        if let old { old.removeInverse(self, at: inverse, inverseIsToMany) }
        if let new { new.addInverse(self, at: inverse, inverseIsToMany, from: index) }
    }

    final func setToMany(_ new: [NSManagedObject], at index: Int) {
        announcing(index) { replaceToMany(new, at: index) }
    }

    private final func replaceToMany(_ new: [NSManagedObject], at index: Int) {
        let storage = toMany(at: index)
        recordChange()
        let slot = layout.slots[index]
        let old = storage.members
        storage.replace(new)
        guard slot.inverse >= 0 else { return }
        let kept = Set(storage.members.map { ObjectIdentifier($0) })
        let before = Set(old.map { ObjectIdentifier($0) })
        for object in old where !kept.contains(ObjectIdentifier(object)) {
            object.removeInverse(self, at: slot.inverse, slot.inverseIsToMany)
        }
        for object in storage.members where !before.contains(ObjectIdentifier(object)) {
            object.addInverse(self, at: slot.inverse, slot.inverseIsToMany, from: index)
        }
    }

    /// Adds an object to a to-many relationship, at the end of an ordered one.
    final func add(_ object: NSManagedObject, at index: Int) {
        check(object, at: index)
        let storage = toMany(at: index)
        guard !storage.contains(object) else { return }
        recordChange()
        let slot = layout.slots[index]
        announcing(index, difference: insertion(of: object, into: storage)) {
            storage.add(object)
            if slot.inverse >= 0 { object.addInverse(self, at: slot.inverse, slot.inverseIsToMany, from: index) }
        }
    }

    /// Inserts an object into an ordered to-many relationship. Traps if the position is out of bounds.
    final func insert(_ object: NSManagedObject, at position: Int, in index: Int) {
        check(object, at: index)
        let storage = toMany(at: index)
        checkPosition(position, storage.count, in: index)
        guard !storage.contains(object) else { return }
        recordChange()
        let slot = layout.slots[index]
        let difference =
            observers == nil
            ? nil : MemberDifference(kind: .insertion, objects: [object], indexes: [position], isOrdered: true)
        announcing(index, difference: difference) {
            storage.insert(object, at: position)
            if slot.inverse >= 0 { object.addInverse(self, at: slot.inverse, slot.inverseIsToMany, from: index) }
        }
    }

    /// Removes the object at a position of an ordered to-many relationship. Traps if the position is out of bounds.
    final func removeMember(at position: Int, in index: Int) {
        let storage = toMany(at: index)
        checkPosition(position, storage.count - 1, in: index)
        let object = storage.members[position]
        recordChange()
        announcing(index, difference: removal(of: object, from: storage)) {
            storage.remove(object, at: position)
            let slot = layout.slots[index]
            if slot.inverse >= 0 { object.removeInverse(self, at: slot.inverse, slot.inverseIsToMany) }
        }
    }

    /// Replaces the object at a position of an ordered to-many relationship. Traps if the position is out of bounds.
    final func replaceMember(at position: Int, with object: NSManagedObject, in index: Int) {
        check(object, at: index)
        let storage = toMany(at: index)
        checkPosition(position, storage.count - 1, in: index)
        guard !storage.contains(object) else { return }
        let old = storage.members[position]
        recordChange()
        announcing(index) {
            storage.remove(old, at: position)
            storage.insert(object, at: position)
            let slot = layout.slots[index]
            guard slot.inverse >= 0 else { return }
            old.removeInverse(self, at: slot.inverse, slot.inverseIsToMany)
            object.addInverse(self, at: slot.inverse, slot.inverseIsToMany, from: index)
        }
    }

    /// Moves an object of an ordered to-many relationship. Traps if a position is out of bounds.
    ///
    /// - Parameter target: The new position, once the object is removed.
    final func moveMember(at position: Int, to target: Int, in index: Int) {
        let storage = toMany(at: index)
        checkPosition(position, storage.count - 1, in: index)
        checkPosition(target, storage.count - 1, in: index)
        let object = storage.members[position]
        recordChange()
        announcing(index) {
            storage.remove(object, at: position)
            storage.insert(object, at: target)
        }
    }

    private final func checkPosition(_ position: Int, _ limit: Int, in index: Int) {
        guard position < 0 || position > limit else { return }
        misuse(
            "NSRangeException",
            "the position \(position) is beyond the \(toMany(at: index).count) objects of the relationship "
                + "“\(layout.name).\(layout.slots[index].name)”")
    }

    /// Removes an object from a to-many relationship.
    final func remove(_ object: NSManagedObject, at index: Int) {
        let storage = toMany(at: index)
        guard storage.contains(object) else { return }
        recordChange()
        announcing(index, difference: removal(of: object, from: storage)) {
            storage.remove(object)
            let slot = layout.slots[index]
            if slot.inverse >= 0 { object.removeInverse(self, at: slot.inverse, slot.inverseIsToMany) }
        }
    }

    // MARK: Differences for observers

    private final func insertion(of object: NSManagedObject, into storage: ToManyStorage) -> MemberDifference? {
        guard observers != nil else { return nil }
        return MemberDifference(
            kind: .insertion, objects: [object], indexes: storage.isOrdered ? [storage.count] : nil,
            isOrdered: storage.isOrdered)
    }

    private final func removal(of object: NSManagedObject, from storage: ToManyStorage) -> MemberDifference? {
        guard observers != nil else { return nil }
        return MemberDifference(
            kind: .removal, objects: [object],
            indexes: storage.isOrdered ? storage.index(of: object).map { [$0] } : nil, isOrdered: storage.isOrdered)
    }

    // MARK: Inverses

    private final func put(_ object: NSManagedObject?, at index: Int) {
        guard observers != nil else { return store(object, at: index) }
        announcing(index) { store(object, at: index) }
    }

    private final func store(_ object: NSManagedObject?, at index: Int) {
        realize()
        recordChange()
        writableSlots()[index] = object.map { .managed($0) } ?? .null
    }

    /// Removes an object from the inverse.
    final func removeInverse(_ object: NSManagedObject, at index: Int, _ isToMany: Bool) {
        if isToMany {
            let storage = toMany(at: index)
            guard let position = storage.index(of: object) else { return }
            recordChange()
            guard observers != nil else { return storage.remove(object, at: position) }
            announcing(index, difference: removal(of: object, from: storage)) { _ = storage.remove(object) }
        } else if toOne(at: index) === object {
            put(nil, at: index)
        }
    }

    /// Adds an object to the inverse, and updates the object that it displaces from a to-one inverse.
    private final func addInverse(_ object: NSManagedObject, at index: Int, _ isToMany: Bool, from other: Int) {
        if isToMany {
            let storage = toMany(at: index)
            guard !storage.contains(object) else { return }
            recordChange()
            guard observers != nil else { return storage.append(object) }
            announcing(index, difference: insertion(of: object, into: storage)) { _ = storage.add(object) }
        } else {
            let previous = toOne(at: index)
            guard previous !== object else { return }
            if layout.slots[index].inverse == other, layout.slots[index].inverseIsToMany {
                _ = previous?.toMany(at: other)
            }
            put(object, at: index)
            guard let previous, layout.slots[index].inverse == other else { return }
            previous.removeInverse(self, at: other, layout.slots[index].inverseIsToMany)
        }
    }

    // MARK: Deletion

    /// Returns the objects that the object's deletion deletes by cascade.
    final func cascadedObjects() -> [NSManagedObject] {
        var cascaded: [NSManagedObject] = []
        for slot in layout.deletionSlots where slot.rule == .cascadeDeleteRule {
            if !slot.isToOne {
                cascaded += toMany(at: slot.index).members
            } else if let other = destination(at: slot.index) {
                cascaded.append(other)
            }
        }
        return cascaded
    }

    /// Removes the object from all relationships according to their delete rules.
    ///
    /// - Parameters:
    ///   - cascaded: The objects that were deleted because the object was.
    ///   - departures: Collects the to-many relationships that the object is to leave.
    final func applyDeleteRules(cascaded: Set<ObjectIdentifier>, departures: inout Departures) {
        for slot in layout.deletionSlots {
            if slot.isToOne {
                guard let other = destination(at: slot.index) else { continue }
                apply(slot, to: other, cascaded: cascaded, departures: &departures)
            } else {
                for other in toMany(at: slot.index).members {
                    apply(slot, to: other, cascaded: cascaded, departures: &departures)
                }
            }
        }
    }

    private final func apply(
        _ slot: EntityLayout.DeletionSlot, to other: NSManagedObject, cascaded: Set<ObjectIdentifier>,
        departures: inout Departures
    ) {
        // A relationship that denies deletion is kept, for the validation that reports it.
        guard slot.rule != .denyDeleteRule, slot.inverse >= 0 else { return }
        // What was deleted before keeps its relationships.
        guard !other.isMarkedDeleted || slot.rule == .nullifyDeleteRule || cascaded.contains(ObjectIdentifier(other))
        else { return }
        if slot.inverseIsToMany, slot.isToOne {
            departures.add(self, leaving: slot.inverse, of: other)
        } else {
            other.removeInverse(self, at: slot.inverse, slot.inverseIsToMany)
        }
    }
}
