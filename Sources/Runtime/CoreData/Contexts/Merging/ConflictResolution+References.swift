internal import Foundation

/// References to objects that another context has deleted or changed.
extension ConflictResolution {
    /// Resolves references that a save would leave dangling.
    ///
    /// An object that another context has deleted is an optimistic locking conflict: unless the policy fails the save,
    /// references to it are dropped. References that another context has made to an object deleted here follow the
    /// delete rule of that object's relationship, as if they had been known when it was deleted.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 133020 if the policy fails the save, 1600 if a delete rule denies the
    ///   deletion.
    func resolve(_ conflicts: ReferenceConflicts) throws {
        var gone: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        var drops: [(source: NSManagedObject, slot: Int, target: NSManagedObject)] = []
        for reference in conflicts.dangling {
            let (source, target) = objects(of: reference)
            if target.isDeleted, !target.flags.contains(.isGone) {
                // The reference to an object deleted here came from a merging.
                try applyDeleteRule(of: target, to: source, reference.slot)
                continue
            }
            if seen.insert(ObjectIdentifier(target)).inserted { gone.append(target) }
            drops.append((source, reference.slot, target))
        }
        if !gone.isEmpty {
            let list = gone.map { NSMergeConflict($0, current: nil) }
            try policy.resolve(optimisticLockingConflicts: list)
            context.announcing {
                merging.mergeDeletions(of: gone.filter { !$0.flags.contains(.isGone) })
                for drop in drops { drop.source.lose(drop.target, at: drop.slot) }
            }
        }
        try update(conflicts.unpaired.flatMap { [$0.source, $0.target] } + conflicts.left.map(\.source))
        for reference in conflicts.unpaired { try resolve(reference) }
        for reference in conflicts.left {
            let (source, target) = objects(of: reference)
            guard !source.isDeleted else { continue }
            guard source.toOneID(at: reference.slot) == reference.target else { continue }
            try applyDeleteRule(of: target, to: source, reference.slot)
        }
        context.processChanges()
    }

    /// Updates objects to the store's values, with their changes. One of which only relationship members changed may be
    /// out of date: its version was not compared.
    private func update(_ ids: [NSManagedObjectID]) throws {
        var seen: Set<NSManagedObjectID> = []
        let objects = ids.filter { seen.insert($0).inserted }.map(context.object(with:))
        merging.refresh(objects, keepsChanges: true)
        try context.realize(objects.filter { !$0.isDeleted })
    }

    /// Returns the objects at both ends of a reference.
    private func objects(
        of reference: ReferenceConflicts.Reference
    ) -> (source: NSManagedObject, target: NSManagedObject) {
        (context.object(with: reference.source), context.object(with: reference.target))
    }

    /// Resolves a one-to-one relationship whose sides disagree: if the context wins, a change made here applies to both
    /// sides; otherwise the other side does.
    private func resolve(_ reference: ReferenceConflicts.Reference) throws {
        let (source, target) = objects(of: reference)
        let (slot, inverse) = (reference.slot, source.layout.slots[reference.slot].inverse)
        guard !source.isDeleted, !target.isDeleted, source.toOneID(at: slot) == reference.target,
            target.toOneID(at: inverse) != reference.source
        else { return }
        if policy.mergeType == .errorMergePolicyType {
            let current = try context.row(for: source.objectID, source.layout)
            try policy.resolve(
                optimisticLockingConflicts: [NSMergeConflict(source, current: current)])
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
    private func applyDeleteRule(of target: NSManagedObject, to source: NSManagedObject, _ slot: Int) throws {
        let inverse = source.layout.slots[slot].inverse
        switch inverse >= 0 ? target.layout.slots[inverse].deleteRule : .nullifyDeleteRule {
        case .cascadeDeleteRule: context.delete(source)
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
