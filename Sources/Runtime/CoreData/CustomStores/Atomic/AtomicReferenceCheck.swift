/// Finds references that a save of an atomic store would leave dangling, because another context has deleted or related
/// objects in the meantime.
struct AtomicReferenceCheck {
    let store: NSAtomicStore
    let changes: [ObjectChange]

    /// Checks all references of the save, before any node changes.
    ///
    /// - Throws: `ReferenceConflicts` if some of them would dangle.
    func run() throws {
        let deleted = Set(changes.lazy.filter { $0.kind == .delete }.map(\.id))
        let inserted = Set(changes.lazy.filter { $0.kind == .insert }.map(\.id))
        var conflicts = ReferenceConflicts()
        conflicts.dangling = ReferenceConflicts.dangling(in: changes) { target in
            !deleted.contains(target) && (store.cacheNode(for: target) != nil || inserted.contains(target))
        }
        conflicts.left = references(to: deleted)
        conflicts.unpaired = try ReferenceConflicts.unpaired(in: changes) { try store.rows(for: $0) }
        if !conflicts.isEmpty { throw conflicts }
    }

    /// Returns the to-one relationships of remaining nodes that refer to objects and that the save does not change.
    private func references(to targets: Set<NSManagedObjectID>) -> [ReferenceConflicts.Reference] {
        guard !targets.isEmpty else { return [] }
        let replaced = ReferenceConflicts.replacedSlots(in: changes)
        var result: [ReferenceConflicts.Reference] = []
        for node in store.cacheNodes() where !targets.contains(node.objectID) {
            let (id, layout) = (node.objectID, node.objectID.layout)
            for index in layout.toOneSlots where !layout.slots[index].isTransient {
                guard let target = node.value(forKey: layout.slots[index].name) as? NSAtomicStoreCacheNode,
                    targets.contains(target.objectID),
                    !ReferenceConflicts.isKept(layout.slots[index], target.objectID),
                    replaced[id]?.contains(index) != true
                else { continue }
                result.append(.init(source: id, slot: index, target: target.objectID))
            }
        }
        return result
    }
}
