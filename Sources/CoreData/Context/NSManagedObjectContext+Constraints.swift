internal import Foundation

/// Values that must be unique and are not.
extension NSManagedObjectContext {
    /// Lets the merge policy decide on conflicts, and does what it has decided.
    ///
    /// - Throws: an `NSError` of Cocoa's domain with the code 133021 when the policy does not decide.
    final func resolve(_ conflicts: ConstraintConflicts) throws {
        let policy = (mergePolicy as? NSMergePolicy) ?? .error
        let list = conflicts.conflicts.map { conflict in
            let stored = conflict.stored.map { object(with: $0) }
            stored?.realize()
            return NSConstraintConflict(
                constraint: conflict.constraint, database: stored,
                databaseSnapshot: stored?.savedValues(nil), conflicting: conflict.objects,
                conflictingSnapshots: conflict.objects.map { $0.savedValues(nil) })
        }
        try policy.resolve(constraintConflicts: list)
        for conflict in list { try settle(conflict, policy.mergeType) }
        processChanges()
    }

    /// Does what a policy has decided. An object whose values the policy's own code has changed is left alone.
    private final func settle(_ conflict: NSConstraintConflict, _ type: NSMergePolicyType) throws {
        let objects = conflict.conflictingObjects.filter { !$0.isDeleted && $0.hasValues(of: conflict) }
        if let stored = conflict.databaseObject {
            for object in objects { try settle(object, against: stored, conflict, type) }
            return
        }
        let contextWins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        guard let kept = objects.first(where: { !$0.isInserted }) ?? (contextWins ? objects.last : objects.first)
        else { return }
        for object in objects where object !== kept {
            if object.isInserted {
                if type == .mergeByPropertyObjectTrumpMergePolicyType {
                    kept.takeOver(object.changedSlots().filter { !kept.changedSlots().contains($0) }, from: object)
                }
                delete(object)
            } else {
                try takeBack(object, conflict, type)
            }
        }
    }

    private final func settle(
        _ object: NSManagedObject, against stored: NSManagedObject, _ conflict: NSConstraintConflict,
        _ type: NSMergePolicyType
    ) throws {
        let contextWins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        guard object.isInserted else {
            // The one that the context does not want any more makes place.
            if contextWins { delete(stored) } else { try takeBack(object, conflict, type) }
            return
        }
        // The stored object stays what others refer to; it gets the values of the new one.
        switch type {
        case .mergeByPropertyObjectTrumpMergePolicyType: stored.takeOver(object.changedSlots(), from: object)
        case .overwriteMergePolicyType:
            let slots = object.layout.slots.indices.filter { !object.layout.slots[$0].isTransient }
            stored.takeOver(slots, from: object)
        default: break
        }
        delete(object)
    }

    /// Gives a changed object the values back that it must not have changed.
    private final func takeBack(
        _ object: NSManagedObject, _ conflict: NSConstraintConflict, _ type: NSMergePolicyType
    ) throws {
        switch type {
        case .rollbackMergePolicyType: refreshObject(object, keepsChanges: false)
        case .mergeByPropertyStoreTrumpMergePolicyType:
            for name in conflict.constraint {
                guard let index = object.layout.index(of: name), let row = object.snapshot else {
                    continue
                }
                if case .attribute = object.layout.slots[index].kind {
                    object.setAttribute(row[index], at: index)
                } else {
                    object.setAnyValue(object.savedValues([name])[name], at: index)
                }
            }
        default:
            throw CoreDataError.error(
                .managedObjectConstraintMerge, "Could not merge changes.", ["conflictList": [conflict]])
        }
    }
}

extension NSManagedObject {
    /// Whether the object still has the values that are in conflict.
    fileprivate final func hasValues(of conflict: NSConstraintConflict) -> Bool {
        conflict.constraint.allSatisfy { name in
            guard let index = layout.index(of: name) else { return false }
            let value = anyValue(at: index) ?? NSNull()
            let wanted = conflict.constraintValues[name] ?? NSNull()
            return (value as? AnyHashable) == (wanted as? AnyHashable)
        }
    }

    /// Takes over properties of another object: values, and the objects of relationships beside one's own.
    fileprivate final func takeOver(_ slots: [Int], from object: NSManagedObject) {
        for slot in slots where slot < object.layout.slots.count {
            let name = object.layout.slots[slot].name
            guard let own = layout.index(of: name), layout.slots[own].kind == object.layout.slots[slot].kind else {
                continue
            }
            switch layout.slots[own].kind {
            case .attribute: setAttribute(object.realizedSlots()[slot], at: own)
            case .toOne: setAnyValue(object.toOne(at: slot), at: own)
            case .toMany:
                let members = object.toMany(at: slot).members
                let known = toMany(at: own).members
                setAnyValue(known + members.filter { member in !known.contains { $0 === member } }, at: own)
            case .fetched: break
            }
        }
    }
}
