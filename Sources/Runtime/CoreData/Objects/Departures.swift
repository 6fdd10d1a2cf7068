internal import RuntimeSupport

/// Deleted objects that leave to-many relationships.
///
/// Objects with the same owner leave the same relationship, so they are removed together, without looking up each one.
struct Departures {
    /// The objects that leave one relationship.
    private struct Group {
        let owner: NSManagedObject
        let slot: Int
        var objects: [NSManagedObject]

        var key: Key { Key(owner: ObjectIdentifier(owner), slot: slot) }
    }

    private struct Key: Hashable {
        let owner: ObjectIdentifier
        let slot: Int
    }

    private var groups: [Group] = []
    /// The indices of the groups; built once there are enough of them.
    private var positions: [Key: Int] = [:]
    /// The maximum number of groups for which a linear search is faster than hashing.
    private static let searchLimit = 8

    /// Records that an object leaves a relationship. Looks up the members now, because later they would not include the
    /// object.
    mutating func add(_ object: NSManagedObject, leaving slot: Int, of owner: NSManagedObject) {
        if let last = groups.indices.last, groups[last].owner === owner, groups[last].slot == slot {
            return groups[last].objects.append(object)
        }
        if let position = position(slot, owner) { return groups[position].objects.append(object) }
        _ = owner.toMany(at: slot)
        groups.append(Group(owner: owner, slot: slot, objects: [object]))
        if !positions.isEmpty { positions[groups[groups.count - 1].key] = groups.count - 1 }
    }

    private mutating func position(_ slot: Int, _ owner: NSManagedObject) -> Int? {
        guard groups.count > Self.searchLimit else {
            return groups.firstIndex { $0.owner === owner && $0.slot == slot }
        }
        if positions.isEmpty { for (position, group) in groups.enumerated() { positions[group.key] = position } }
        return positions[Key(owner: ObjectIdentifier(owner), slot: slot)]
    }

    /// Removes the objects from the relationships.
    mutating func apply() {
        guard !groups.isEmpty else { return }
        for group in groups { group.owner.removeInverses(group.objects, at: group.slot) }
        groups = []
        positions = [:]
    }
}

extension NSManagedObject {
    /// Removes objects from the to-many inverse.
    fileprivate final func removeInverses(_ objects: [NSManagedObject], at index: Int) {
        let storage = toMany(at: index)
        // A few of many members are found faster with the cached hash table.
        guard observers == nil, objects.count * 16 >= storage.count else {
            for object in objects { removeInverse(object, at: index, true) }
            return
        }
        objects.forEachUncounted { $0.flags.insert(.leaving) }
        defer { objects.forEachUncounted { $0.flags.remove(.leaving) } }
        guard !storage.members.allSatisfyUncounted({ !$0.flags.contains(.leaving) }) else { return }
        recordChange()
        storage.removeLeaving()
    }
}
