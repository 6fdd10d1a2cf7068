internal import Foundation

/// Objects with the same values for attributes that must be unique.
extension ConflictResolution {
    /// Lets the merge policy resolve conflicts, and applies its decision.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133021 if the policy leaves conflicts unresolved.
    func resolve(_ conflicts: ConstraintConflicts) throws {
        var list: [NSConstraintConflict] = []
        var duplicates: [Duplicates] = []
        // All rows at once: over a network, each would take a round trip.
        _ = try context.valuesOfMany(conflicts.conflicts.compactMap(\.stored))
        for conflict in conflicts.conflicts {
            let stored = try conflict.stored.map(storedObject)
            let objects = conflict.changes.map(\.object)
            if let stored {
                list += objects.map { constraintConflict(conflict.constraint, stored: stored, objects: [$0]) }
            }
            if objects.count > 1 {
                list.append(constraintConflict(conflict.constraint, stored: nil, objects: objects))
            }
            duplicates.append(Duplicates(constraint: conflict.constraint, objects: objects, stored: stored))
        }
        try policy.resolve(constraintConflicts: list)
        var replacements = Replacements()
        for duplicates in duplicates { resolve(duplicates, &replacements) }
        replacements.apply(in: context)
        context.processChanges()
    }

    /// Returns a stored object with its current values in the store.
    private func storedObject(_ id: NSManagedObjectID) throws -> NSManagedObject {
        let object = context.object(with: id)
        if !object.isFault, !object.isDeleted,
            try context.row(for: id, object.layout)?.version != object.snapshot?.version
        {
            merging.refresh(object, keepsChanges: true)
        }
        object.realize()
        return object
    }

    private func constraintConflict(
        _ constraint: [String], stored: NSManagedObject?, objects: [NSManagedObject]
    ) -> NSConstraintConflict {
        NSConstraintConflict(
            constraint: constraint, database: stored, databaseSnapshot: stored?.savedValues(nil), conflicting: objects,
            conflictingSnapshots: objects.map { $0.savedValues(nil) })
    }

    /// Objects with the same values for attributes that must be unique.
    private struct Duplicates {
        let constraint: [String]
        let objects: [NSManagedObject]
        /// A stored object whose values the save does not change.
        let stored: NSManagedObject?
        /// The values of each object when they were found to be the same. A store may compare less than Foundation
        /// does: a column has 15 digits of a decimal number.
        private let values: [ObjectIdentifier: [AnyHashable?]]

        init(constraint: [String], objects: [NSManagedObject], stored: NSManagedObject?) {
            self.constraint = constraint
            self.objects = objects
            self.stored = stored
            values = Dictionary(
                (objects + (stored.map { [$0] } ?? [])).map { (ObjectIdentifier($0), Self.values($0, constraint)) }
            ) { first, _ in first }
        }

        private static func values(_ object: NSManagedObject, _ constraint: [String]) -> [AnyHashable?] {
            constraint.map { name in object.layout.index(of: name).flatMap { object.anyValue(at: $0) } as? AnyHashable }
        }

        /// Returns whether an object still has its values. The policy's own code may have changed or deleted it.
        func contains(_ object: NSManagedObject) -> Bool {
            !object.isDeleted && object.managedObjectContext != nil
                && Self.values(object, constraint) == values[ObjectIdentifier(object)]
        }

        /// Returns whether an object had the values before this save.
        func isHolder(_ object: NSManagedObject) -> Bool {
            guard !object.isInserted, let snapshot = object.snapshot else { return false }
            return constraint.allSatisfy { name in
                object.layout.index(of: name).map { object.realizedSlots()[$0].isEqual(snapshot[$0]) } ?? true
            }
        }
    }

    /// Keeps one of several objects with the same values.
    ///
    /// If the context wins, this is the existing object that was given the values last, else the one that had them,
    /// else the newest; all others are deleted. If the store wins, it is the object that had the values, else the first
    /// existing one; other existing objects revert to their stored values, and new ones are deleted.
    private func resolve(_ duplicates: Duplicates, _ replacements: inout Replacements) {
        let type = policy.mergeType
        let objects = duplicates.objects.filter(duplicates.contains)
        let new = objects.filter(\.isInserted)
        let holder =
            duplicates.stored.flatMap { duplicates.contains($0) ? $0 : nil }
            ?? objects.first(where: duplicates.isHolder)
        let updated = objects.filter { !$0.isInserted && $0 !== holder }
        guard objects.count + (duplicates.stored === holder && holder != nil ? 1 : 0) > 1 else { return }
        switch type {
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            guard let retained = updated.last ?? holder ?? new.last else { return }
            let isOverwritten = retained === holder && type == .overwriteMergePolicyType
            var losers = (new + updated.dropLast() + (holder.map { [$0] } ?? [])).filter { $0 !== retained }
            if type == .mergeByPropertyObjectTrumpMergePolicyType {
                // The last change of a property wins; changes of the remaining object take precedence.
                var own = Set(retained === holder ? [] : retained.changedSlots())
                for loser in losers.reversed() where loser !== holder {
                    own.formUnion(retained.copyChangedValues(of: loser, except: own))
                }
            } else if isOverwritten, let last = new.last {
                retained.copyAllValues(of: last)
            }
            losers.sort { $0.isInserted && !$1.isInserted }
            for loser in losers {
                context.replacementHandler?(loser, retained)
                replacements.record(loser, retained)
                context.delete(loser)
            }
        default:
            guard let retained = holder ?? updated.first ?? new.first else { return }
            for object in updated where object !== retained { revert(object, duplicates.constraint) }
            for object in new where object !== retained {
                replacements.record(object, retained)
                context.delete(object)
            }
        }
    }

    /// Reverts a changed object to the stored values of the constraint, or of all properties, by policy.
    private func revert(_ object: NSManagedObject, _ constraint: [String]) {
        guard let row = object.snapshot else { return }
        if policy.mergeType == .rollbackMergePolicyType {
            merging.revert(object, to: row)
            context.recordRefresh(of: object)
            return
        }
        for name in constraint {
            guard let index = object.layout.index(of: name) else { continue }
            if case .attribute = object.layout.slots[index].kind {
                object.setAttribute(row[index], at: index)
            } else {
                object.setAnyValue(object.savedValues([name])[name], at: index)
            }
        }
    }
}

extension NSManagedObject {
    /// Copies the changed properties of another object, except excluded slots, and returns the copied slots. Members of
    /// relationships are added to the object's own.
    fileprivate final func copyChangedValues(of object: NSManagedObject, except excluded: Set<Int>) -> Set<Int> {
        var taken: Set<Int> = []
        for slot in object.changedSlots() {
            guard let own = slotMatching(slot, of: object) else { continue }
            let isToMany = layout.toManySlots.contains(own)
            if !isToMany, excluded.contains(own) { continue }
            copyValue(at: slot, of: object, to: own)
            if !isToMany { taken.insert(own) }
        }
        return taken
    }

    /// Copies all persistent properties of another object.
    fileprivate final func copyAllValues(of object: NSManagedObject) {
        for slot in object.layout.slots.indices where !object.layout.slots[slot].isTransient {
            if let own = slotMatching(slot, of: object) { copyValue(at: slot, of: object, to: own) }
        }
    }

    /// Returns this object's slot for the same property of an object that may have another entity.
    private final func slotMatching(_ slot: Int, of object: NSManagedObject) -> Int? {
        guard let own = layout.index(of: object.layout.slots[slot].name),
            layout.slots[own].kind == object.layout.slots[slot].kind
        else { return nil }
        return own
    }

    private final func copyValue(at slot: Int, of object: NSManagedObject, to own: Int) {
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
