internal import Foundation
internal import RuntimeSupport

/// What a save writes of an object.
extension NSManagedObject {
    /// Returns the change that a save writes for the object, or `nil` if it has nothing to write.
    final func unsavedChange() throws -> ObjectChange? {
        let version = snapshot?.version ?? 0
        try checkReadable()
        let isInserted = isMarkedInserted
        if isMarkedDeleted {
            let row = snapshot ?? Row.blank(layout, version: version)
            return ObjectChange(
                kind: .delete, object: self, id: directID, layout: layout, row: row, base: snapshot)
        }
        let slots = isInserted ? [] : changedSlots()
        guard isInserted || !slots.isEmpty else { return nil }
        let change = ObjectChange(
            kind: isInserted ? .insert : .update, object: self, id: directID, layout: layout,
            row: row(version: version &+ 1), base: snapshot, changedSlots: slots)
        for index in layout.toOneSlots {
            guard case .reference(let id) = change.row[index] else { continue }
            if !id.isInStore(of: change.id) {
                throw externalRelationship(layout.slots[index].name)
            }
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            guard realizedSlots()[index].memberStorage.map({ isInserted || $0.isChanged }) == true else { continue }
            let storage = toMany(at: index)
            guard !storage.isUnread else {
                throw CoreDataError.error(
                    .persistentStoreSave,
                    text: "the members of “\(layout.name).\(layout.slots[index].name)” of "
                        + "\(objectID.uriRepresentation()) could not be read, so changes of them are not saved",
                    userInfo: [NSAffectedObjectsErrorKey: [self]])
            }
            let members = memberChange(storage, index, isNew: isInserted)
            // With a to-one inverse, the other side's check covers this.
            if layout.slots[index].inverse < 0 || layout.slots[index].inverseIsToMany,
                !members.added.allSatisfy({ $0.isInStore(of: change.id) })
            {
                throw externalRelationship(layout.slots[index].name)
            }
            change.members.append(members)
        }
        return change
    }

    /// Throws an error if the object's values could not be read, so that its changes cannot be saved.
    final func checkReadable() throws {
        guard flags.contains(.isUnreadable) else { return }
        throw CoreDataError.error(
            .persistentStoreSave,
            text: "the values of \(objectID.uriRepresentation()) could not be read, so its changes are not saved",
            userInfo: [NSAffectedObjectsErrorKey: [self]])
    }

    private final func memberChange(_ storage: ToManyStorage, _ index: Int, isNew: Bool) -> ObjectChange.MemberChange {
        if isNew {
            let ids = storage.members.map(\.directID)
            return ObjectChange.MemberChange(slot: index, added: ids, removed: [], order: storage.isOrdered ? ids : nil)
        }
        let old = storage.lastSaved
        let before = Set(old.map { ObjectIdentifier($0) })
        return ObjectChange.MemberChange(
            slot: index, added: storage.members.filter { !before.contains(ObjectIdentifier($0)) }.map(\.objectID),
            removed: old.filter { !storage.contains($0) }.map(\.objectID),
            order: storage.isOrdered ? storage.members.map(\.objectID) : nil)
    }

    private final func externalRelationship(_ key: String) -> NSError {
        CoreDataError.error(
            .managedObjectExternalRelationship,
            text: "“\(layout.name).\(key)” leads to an object that is in another store, in no context, or not saved",
            userInfo: [NSAffectedObjectsErrorKey: [self], NSValidationKeyErrorKey: key])
    }
}

extension [ObjectChange] {
    /// Computes the derived attributes that a store lets the caller compute, from the objects.
    ///
    /// - Parameter slots: Returns the slots of a layout.
    func computeDerivedValues(_ slots: (EntityLayout) -> [Int]) {
        // Changes of the same entity are mostly adjacent.
        var last: (layout: EntityLayout, slots: [Int])?
        forEachUncounted { change in
            guard !change.layout.derivedSlots.isEmpty, change.kind != .delete, change.changesRow else { return }
            if last?.layout !== change.layout { last = (change.layout, slots(change.layout)) }
            guard let slots = last?.slots, !slots.isEmpty else { return }
            change.derived = DerivedValues.computed(slots, of: change.object, change.layout)
        }
    }
}

/// Validation of references.
extension NSManagedObject {
    /// Checks that the changed relationships of the object refer to objects that can be saved.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 1550 for an object that is deleted, here or in the store.
    final func validateReferences() throws {
        guard let slots = loadedSlots else { return }
        for index in layout.toOneSlots where !layout.slots[index].isTransient {
            guard let other = slots[index].managedObject, !other.canBeReferenced else { continue }
            if !isInserted, let saved = snapshot?[index], slots[index].isEqual(saved) { continue }
            throw Validation.danglingReference(self, index: index, other: other)
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            guard let storage = slots[index].memberStorage,
                let other = storage.members.first(where: { !$0.canBeReferenced })
            else { continue }
            guard isInserted || storage.changes.added.contains(where: { !$0.canBeReferenced }) else { continue }
            throw Validation.danglingReference(self, index: index, other: other)
        }
    }

    /// Whether a saved relationship may refer to the object.
    fileprivate final var canBeReferenced: Bool {
        // What could not be read may exist: the store checks it.
        if flags.contains(.isUnreadable) { return true }
        // `unsavedChange()` reports objects that are in no context and were never saved.
        return !isDeleted && (state.pointee.context != nil || hasTemporaryID)
    }
}
