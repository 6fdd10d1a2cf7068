/// Detection of references that a save would leave dangling.
extension InMemoryStore {
    /// Checks all references of a save, before anything is written.
    ///
    /// - Throws: `ReferenceConflicts` if some of them would dangle.
    func checkReferences(of changes: [ObjectChange]) throws {
        let deleted = Set(changes.lazy.filter { $0.kind == .delete }.compactMap { $0.id.rowKey })
        lazy var inserted = Set(changes.lazy.filter { $0.kind == .insert }.compactMap { $0.id.rowKey })
        var conflicts = ReferenceConflicts()
        conflicts.dangling = ReferenceConflicts.dangling(in: changes) { target in
            guard let key = target.rowKey else { return true }
            return !deleted.contains(key) && (entry(target) != nil || inserted.contains(key))
        }
        if !deleted.isEmpty {
            let replaced = ReferenceConflicts.replacedSlots(in: changes)
            conflicts.left = references(to: deleted).filter { reference in
                reference.source.rowKey.map(deleted.contains) == false
                    && replaced[reference.source]?.contains(reference.slot) != true
            }
        }
        conflicts.unpaired = ReferenceConflicts.unpaired(in: changes) { $0.map { entry($0)?.row } }
        if !conflicts.isEmpty { throw conflicts }
    }

    /// Returns the to-one relationships that refer to objects.
    private func references(to targets: Set<Int64>) -> [ReferenceConflicts.Reference] {
        var result: [ReferenceConflicts.Reference] = []
        func add(_ source: MemoryObject, _ slot: Int) {
            guard case .reference(let target) = source.row[slot], target.rowKey.map(targets.contains) == true,
                !ReferenceConflicts.isKept(source.layout.slots[slot], target)
            else { return }
            result.append(.init(source: source.id, slot: slot, target: target))
        }
        // The members of a relationship are the objects that refer to its owner.
        for target in targets {
            guard let entry = entry(withKey: target) else { continue }
            for index in entry.layout.toManySlots {
                let slot = entry.layout.slots[index]
                guard slot.inverse >= 0, !slot.inverseIsToMany else { continue }
                for id in entry.ids(at: index) { if let source = self.entry(id) { add(source, slot.inverse) } }
            }
        }
        forEachEntity { layout, objects in
            let slots = layout.toOneSlots.filter { layout.slots[$0].inverse < 0 || !layout.slots[$0].inverseIsToMany }
            guard !slots.isEmpty else { return }
            for object in objects { for slot in slots { add(object, slot) } }
        }
        return result
    }

    /// Removes deleted objects from to-many relationships without an inverse.
    func forgetMembers(_ deleted: [MemoryObject]) {
        guard !deleted.isEmpty else { return }
        let entities = Set(deleted.map { ObjectIdentifier($0.layout.entity) })
        let kinds = Dictionary(deleted.map { (ObjectIdentifier($0.layout.entity), $0.layout.entity) }) { first, _ in
            first
        }
        let keys = Set(deleted.compactMap { $0.id.rowKey })
        forEachEntity { layout, objects in
            let slots = layout.toManySlots.filter { slot in
                guard layout.slots[slot].inverse < 0,
                    let destination = (layout.slots[slot].property as? NSRelationshipDescription)?.destinationEntity
                else { return false }
                return entities.contains { kinds[$0]?.isKindOf(entity: destination) == true }
            }
            guard !slots.isEmpty else { return }
            for object in objects { for slot in slots { object.removeMembers(at: slot, withKeys: keys) } }
        }
    }
}
