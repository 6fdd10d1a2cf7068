/// The members of a to-many relationship in a store: each once, in order. A removal leaves a hole, so that it takes no longer
/// for many members than for few.
struct MemberList {
    private var places: [NSManagedObjectID: Int] = [:]
    private var slots: [NSManagedObjectID?] = []

    var ids: [NSManagedObjectID] { slots.compactMap { $0 } }

    mutating func add(_ id: NSManagedObjectID) {
        guard places[id] == nil else { return }
        places[id] = slots.count
        slots.append(id)
    }

    mutating func remove(_ id: NSManagedObjectID) {
        guard let place = places.removeValue(forKey: id) else { return }
        slots[place] = nil
        if slots.count > 16, places.count < slots.count / 2 { set(ids) }
    }

    /// Puts the members into an order; those that are not in it stay behind the others.
    mutating func sort(by order: [NSManagedObjectID]) {
        let known = order.filter { places[$0] != nil }
        let listed = Set(known)
        set(known + ids.filter { !listed.contains($0) })
    }

    private mutating func set(_ ids: [NSManagedObjectID]) {
        slots = ids
        places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    }
}
