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
        context.announcing { for conflict in list { resolve(conflict) } }
    }

    /// Applies a policy's decision.
    private func resolve(_ conflict: NSMergeConflict) {
        let (object, type) = (conflict.sourceObject, policy.mergeType)
        guard let current = conflict.currentRow else {
            // Deleted elsewhere.
            switch type {
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                restoreDeleted(object)
            default: merging.mergeDeletion(of: object)
            }
            return
        }
        switch type {
        case .rollbackMergePolicyType: merging.revert(object, to: current)
        case .mergeByPropertyStoreTrumpMergePolicyType where object.isDeleted: merging.revert(object, to: current)
        case .overwriteMergePolicyType:
            object.snapshot = current
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
        // Reported when the save is over.
        if type != .overwriteMergePolicyType { context.contents.changes.refreshed.append(object) }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Reinserts an object that was deleted elsewhere, with the same ID.
    ///
    /// Objects whose own rows hold the relationship keep the store's value: the deletion removed them from the
    /// relationship, unless they were changed here.
    private func restoreDeleted(_ object: NSManagedObject) {
        // Both sides have deleted it.
        guard object.presence == .saved else { return merging.mergeDeletion(of: object) }
        object.snapshot = nil
        object.become(.inserted)
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
