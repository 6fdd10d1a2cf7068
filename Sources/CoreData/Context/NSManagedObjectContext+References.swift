internal import Foundation

/// References to objects that are deleted or about to be.
extension NSManagedObjectContext {
    // MARK: Validation

    /// Checks that the changed relationships of an object refer to objects that can be saved.
    ///
    /// - Throws: an `NSError` of Cocoa's domain with the code 1550 for an object that is deleted, here or in the store.
    final func validateReferences(of object: NSManagedObject) throws {
        guard let slots = object.loadedSlots else { return }
        let layout = object.layout
        for index in layout.toOneSlots where !layout.slots[index].isTransient {
            guard case .managed(let other) = slots[index], !other.canBeReferenced else { continue }
            if !object.isInserted, let saved = object.snapshot?[index], slots[index].isEqual(saved) { continue }
            throw Validation.danglingReference(object, index, other)
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            guard case .many(let storage) = slots[index],
                let other = storage.members.first(where: { !$0.canBeReferenced })
            else { continue }
            guard object.isInserted || storage.changes.added.contains(where: { !$0.canBeReferenced }) else { continue }
            throw Validation.danglingReference(object, index, other)
        }
    }

    // MARK: Conflicts found by a store

    /// Resolves references that a save would leave dangling.
    ///
    /// An object that another context has deleted is an optimistic locking conflict: unless the policy fails the save,
    /// references to it are dropped. References that another context has made to an object deleted here follow the
    /// delete rule of that object's relationship, as if they had been known when it was deleted.
    ///
    /// - Throws: an `NSError` of Cocoa's domain: 133020 if the policy fails the save, 1600 if a delete rule denies the deletion.
    final func resolve(_ conflicts: ReferenceConflicts) throws {
        var gone: [NSManagedObject] = []
        var drops: [(source: NSManagedObject, slot: Int, target: NSManagedObject)] = []
        for reference in conflicts.dangling {
            let (source, target) = (object(with: reference.source), object(with: reference.target))
            if target.isDeleted, !target.flags.contains(.isGone) {
                // The reference to an object deleted here came from a merge.
                try applyDeleteRule(of: target, to: source, reference.slot)
                continue
            }
            if !gone.contains(where: { $0 === target }) { gone.append(target) }
            drops.append((source, reference.slot, target))
        }
        if !gone.isEmpty {
            let policy = (mergePolicy as? NSMergePolicy) ?? .error
            let list = gone.map { NSMergeConflict(.init(object: $0, current: nil, isDeletion: false)) }
            try policy.resolve(optimisticLockingConflicts: list)
            announcing {
                for object in gone where !object.flags.contains(.isGone) { mergeDeletion(of: object) }
                for drop in drops { drop.source.lose(drop.target, at: drop.slot) }
            }
        }
        for reference in conflicts.unpaired { try settle(reference) }
        for reference in conflicts.left {
            let (source, target) = (object(with: reference.source), object(with: reference.target))
            guard !source.isDeleted else { continue }
            refreshObject(source, keepsChanges: true)
            guard source.toOneID(at: reference.slot) == reference.target else { continue }
            try applyDeleteRule(of: target, to: source, reference.slot)
        }
        processChanges()
    }

    /// Resolves a one-to-one relationship whose sides disagree: if the context wins, a change made here applies to both
    /// sides; otherwise the other side does.
    private final func settle(_ reference: ReferenceConflicts.Reference) throws {
        let (source, target) = (object(with: reference.source), object(with: reference.target))
        let (slot, inverse) = (reference.slot, source.layout.slots[reference.slot].inverse)
        // An object of which only relationship members changed may be out of date: its version was not compared.
        for object in [source, target] { refreshObject(object, keepsChanges: true) }
        guard !source.isDeleted, !target.isDeleted, source.toOneID(at: slot) == reference.target,
            target.toOneID(at: inverse) != reference.source
        else { return }
        let policy = (mergePolicy as? NSMergePolicy) ?? .error
        if policy.mergeType == .errorMergePolicyType {
            let current = try row(for: source.objectID, source.layout)
            try policy.resolve(
                optimisticLockingConflicts: [
                    NSMergeConflict(.init(object: source, current: current, isDeletion: false))
                ])
        }
        let contextWins =
            policy.mergeType == .mergeByPropertyObjectTrumpMergePolicyType
            || policy.mergeType == .overwriteMergePolicyType
        if contextWins, source.isInserted || source.isChangedFromSnapshot(at: slot) {
            target.setToOne(source, at: inverse)
        } else {
            source.setToOne(nil, at: slot)
        }
    }

    /// Applies the delete rule of a deleted object's relationship to a member.
    private final func applyDeleteRule(of target: NSManagedObject, to source: NSManagedObject, _ slot: Int) throws {
        let inverse = source.layout.slots[slot].inverse
        switch inverse >= 0 ? target.layout.slots[inverse].deleteRule : .nullifyDeleteRule {
        case .cascadeDeleteRule: delete(source)
        case .denyDeleteRule: throw Validation.deniedDeletion(target, inverse)
        default:
            if source.layout.slots[slot].kind == .toOne {
                source.setToOne(nil, at: slot)
            } else {
                source.remove(target, at: slot)
            }
        }
    }
}

extension NSManagedObject {
    /// Whether a saved relationship may refer to the object.
    fileprivate final var canBeReferenced: Bool {
        // `change(of:)` reports objects that are in no context and were never saved.
        !isDeleted && (state.pointee.context != nil || hasTemporaryID)
    }
}
