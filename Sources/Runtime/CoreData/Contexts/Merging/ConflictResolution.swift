internal import Foundation

/// Applies the decisions of a context's merge policy to conflicts that a save has found.
///
/// Used on the queue of the context.
struct ConflictResolution {
    let context: NSManagedObjectContext
    let policy: NSMergePolicy

    init(_ context: NSManagedObjectContext) {
        self.context = context
        policy = (context.mergePolicy as? NSMergePolicy) ?? .error
    }

    /// Brings stored values into the context.
    var merging: ContextMerge { context.merging }

    // MARK: Other versions of an object

    /// Lets the merge policy resolve conflicts, and applies its decision.
    func resolve(_ conflicts: SaveConflicts) throws {
        let list = conflicts.conflicts.map { NSMergeConflict($0) }
        try policy.resolve(optimisticLockingConflicts: list)
        context.announcing {
            resolveDeletions(list.filter { $0.currentRow == nil }.map(\.sourceObject))
            let changed = list.compactMap { conflict in conflict.currentRow.map { (conflict.sourceObject, $0) } }
            let merged = changed.filter { resolve($0, $1) }.map(\.0)
            NSManagedObject.rebaseMembers(of: merged)
            for (object, _) in changed {
                // Reported when the save is over.
                if policy.mergeType != .overwriteMergePolicyType { context.recordRefresh(of: object) }
                object.awake(fromSnapshotEvents: .mergePolicy)
            }
        }
    }

    /// Applies the policy's decision to objects that were deleted elsewhere.
    private func resolveDeletions(_ objects: [NSManagedObject]) {
        switch policy.mergeType {
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            // Some have been deleted on both sides.
            merging.mergeDeletions(of: objects.filter { $0.presence != .saved })
            for object in objects where object.presence == .saved { restoreDeleted(object) }
        default: merging.mergeDeletions(of: objects)
        }
    }

    /// Applies the policy's decision to an object that was changed elsewhere, but for the members of its to-many
    /// relationships. Returns whether they have to be rebased.
    private func resolve(_ object: NSManagedObject, _ current: Row) -> Bool {
        switch policy.mergeType {
        case .rollbackMergePolicyType:
            merging.revert(object, to: current)
            return false
        case .mergeByPropertyStoreTrumpMergePolicyType where object.isDeleted:
            merging.revert(object, to: current)
            return false
        case .overwriteMergePolicyType:
            object.snapshot = current
            return false
        case .mergeByPropertyObjectTrumpMergePolicyType:
            merging.apply(current, to: object) { !object.isChangedFromSnapshot(at: $0) }
        default:
            // The store's value if both sides have changed it; this context's if only it has.
            let snapshot = object.snapshot
            merging.apply(current, to: object) { index in
                !object.isChangedFromSnapshot(at: index)
                    || snapshot.map { !$0.values[index].isEqual(current[index]) } ?? true
            }
        }
        return true
    }

    /// Reinserts an object that was deleted elsewhere, with the same ID.
    ///
    /// Objects whose own rows hold the relationship keep the store's value: the deletion removed them from the
    /// relationship, unless they were changed here.
    private func restoreDeleted(_ object: NSManagedObject) {
        object.snapshot = nil
        object.become(.inserted)
        object.flags.insert(.isRestored)
        for (index, slot) in object.layout.slots.enumerated() where slot.inverse >= 0 && !slot.inverseIsToMany {
            let members: [NSManagedObject]
            switch object.realizedSlots()[index] {
            case .many(let known): members = known.storage.members
            case .managed(let other): members = [other.object]
            case .reference(let id): members = [context.object(with: id)]
            default: continue
            }
            for member in members where !member.isInserted && !member.isDeleted {
                if !member.isFault, member.flags.contains(.updated), member.isChangedFromSnapshot(at: slot.inverse) {
                    continue
                }
                object.lose(member, at: index)
                if !member.hasChanges { merging.refresh(member, keepsChanges: false) }
            }
        }
    }
}
