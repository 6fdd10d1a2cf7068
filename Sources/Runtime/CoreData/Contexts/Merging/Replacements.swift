/// The objects that were deleted in favor of others with the same unique values.
///
/// A deletion removes an object from the relationships whose inverse it has. Those without an inverse would stay
/// dangling references, with which a save fails.
struct Replacements {
    private var retained: [ObjectIdentifier: NSManagedObject] = [:]

    mutating func record(_ lost: NSManagedObject, _ kept: NSManagedObject) {
        retained[ObjectIdentifier(lost)] = kept
    }

    /// Replaces the deleted objects by the remaining ones in relationships without an inverse of new and changed
    /// objects.
    func apply(in context: NSManagedObjectContext) {
        guard !retained.isEmpty else { return }
        var slots: [ObjectIdentifier: [Int]] = [:]
        for object in context.pending.objects where !object.isDeleted {
            let layout = object.layout
            let key = ObjectIdentifier(layout)
            let oneWay = slots[key] ?? (layout.toOneSlots + layout.toManySlots).filter { layout.slots[$0].inverse < 0 }
            slots[key] = oneWay
            for slot in oneWay { apply(to: object, slot) }
        }
    }

    private func apply(to object: NSManagedObject, _ slot: Int) {
        // Members that were not loaded have not changed.
        guard let value = object.loadedSlots?[slot], !value.isNull else { return }
        if object.layout.slots[slot].kind == .toOne {
            guard let other = object.toOne(at: slot), let kept = replacement(of: other, for: object, slot) else {
                return
            }
            return object.setAnyValue(kept, at: slot)
        }
        let members = object.toMany(at: slot).members
        var seen: Set<ObjectIdentifier> = []
        var isChanged = false
        let current = members.map { member in
            guard let kept = replacement(of: member, for: object, slot) else { return member }
            isChanged = true
            return kept
        }
        guard isChanged else { return }
        object.setAnyValue(current.filter { seen.insert(ObjectIdentifier($0)).inserted }, at: slot)
    }

    /// Returns the object that replaces another one in a relationship, unless the relationship excludes its entity.
    private func replacement(of object: NSManagedObject, for owner: NSManagedObject, _ slot: Int) -> NSManagedObject? {
        guard var last = retained[ObjectIdentifier(object)] else { return nil }
        // Each object is lost once.
        while let next = retained[ObjectIdentifier(last)] { last = next }
        guard !last.isDeleted, last.directContext === owner.directContext,
            let relationship = owner.layout.slots[slot].property as? NSRelationshipDescription,
            let destination = relationship.destinationEntity, last.entity.isKindOf(entity: destination)
        else { return nil }
        return last
    }
}
