/// The distinct members of a to-many relationship in a store, in order. A removal leaves a gap, and so takes constant
/// time.
struct MemberList {
    private var slots: [NSManagedObjectID?] = []
    private var count = 0
    /// The indices by key, built on the first lookup.
    private var positions: [Int64: Int]?

    var ids: [NSManagedObjectID] { slots.compactMap { $0 } }

    mutating func add(_ id: NSManagedObjectID) {
        guard position(of: id) == nil else { return }
        append(id)
    }

    /// Adds an ID that is known not to be a member.
    mutating func append(_ id: NSManagedObjectID) {
        if positions != nil, let key = id.rowKey { positions?[key] = slots.count }
        slots.append(id)
        count += 1
    }

    mutating func remove(_ id: NSManagedObjectID) {
        guard let position = position(of: id) else { return }
        if let key = id.rowKey { positions?[key] = nil }
        slots[position] = nil
        count -= 1
        if slots.count > 16, count < slots.count / 2 { set(ids) }
    }

    /// Removes all members with certain keys, in time proportional to the members.
    mutating func remove(withKeys keys: Set<Int64>) {
        guard count > 0 else { return }
        let kept = slots.filter { $0?.rowKey.map { !keys.contains($0) } ?? false }
        if kept.count < count { set(kept.compactMap { $0 }) }
    }

    private mutating func position(of id: NSManagedObjectID) -> Int? {
        guard let key = id.rowKey else { return nil }
        if let positions { return positions[key] }
        var made: [Int64: Int] = [:]
        made.reserveCapacity(slots.count)
        for (position, id) in slots.enumerated() {
            if let key = id?.rowKey { made[key] = position }
        }
        positions = made
        return made[key]
    }

    /// Sorts the members by an order; those not in it come last.
    mutating func sort(by order: [NSManagedObjectID]) {
        let present = order.filter { position(of: $0) != nil }
        let listed = Set(present)
        set(present + ids.filter { !listed.contains($0) })
    }

    private mutating func set(_ ids: [NSManagedObjectID]) {
        slots = ids
        count = ids.count
        positions = nil
    }
}
