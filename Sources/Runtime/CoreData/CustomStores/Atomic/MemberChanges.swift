/// The changes of to-many relationships in a save. Those with a to-one inverse follow from it, as in a database: two
/// contexts that save different members of a relationship do not interfere with each other.
struct MemberChanges {
    /// A relationship of an object.
    struct Key: Hashable {
        var owner: NSManagedObjectID
        var name: String
    }

    struct Change {
        var isOrdered: Bool
        var added: [NSManagedObjectID] = []
        var removed: Set<NSManagedObjectID> = []
        /// The order that the context knows.
        var order: [NSManagedObjectID]?

        /// Returns the members after the change.
        func applied(to former: [NSManagedObjectID]) -> [NSManagedObjectID] {
            var distinct = Set<NSManagedObjectID>()
            let members = (former.filter { !removed.contains($0) } + added).filter { distinct.insert($0).inserted }
            guard let order else { return members }
            let listed = Set(order)
            return order.filter(distinct.contains) + members.filter { !listed.contains($0) }
        }
    }

    private(set) var changes: [Key: Change] = [:]

    /// The objects whose relationships change.
    var owners: Set<NSManagedObjectID> { Set(changes.keys.map(\.owner)) }

    /// Collects the changes of relationships.
    ///
    /// - Parameters:
    ///   - changes: All changes of a save.
    ///   - former: Returns the object that a to-one relationship led to.
    init(_ changes: [ObjectChange], _ former: (NSManagedObjectID, String) -> NSManagedObjectID?) {
        for change in changes {
            // An object that another context has moved since stays where it is, unless it is moved here as well.
            for index in change.layout.toOneSlots
            where change.kind != .update || change.changedSlots.contains(index) {
                move(change, index: index, former: former)
            }
            guard change.kind != .delete else { continue }
            for members in change.members { record(members, of: change) }
        }
    }

    /// Records that an object moves from one owner to another.
    private mutating func move(
        _ change: ObjectChange, index: Int, former: (NSManagedObjectID, String) -> NSManagedObjectID?
    ) {
        let slot = change.layout.slots[index]
        guard slot.inverseIsToMany, let relationship = slot.property as? NSRelationshipDescription,
            let inverse = relationship.inverseRelationship
        else { return }
        var new: NSManagedObjectID?
        if change.kind != .delete, case .reference(let id) = change.row[index] { new = id }
        let old = former(change.id, slot.name)
        guard old != new else { return }
        if let old { with(old, relationship: inverse) { $0.removed.insert(change.id) } }
        if let new { with(new, relationship: inverse) { $0.added.append(change.id) } }
    }

    /// Updates the change of a relationship, in place: many objects may join one owner.
    private mutating func with(
        _ owner: NSManagedObjectID, relationship: NSRelationshipDescription, body: (inout Change) -> Void
    ) {
        body(&changes[Key(owner: owner, name: relationship.name), default: Change(isOrdered: relationship.isOrdered)])
    }

    private mutating func record(_ members: ObjectChange.MemberChange, of change: ObjectChange) {
        let slot = change.layout.slots[members.slot]
        guard let relationship = slot.property as? NSRelationshipDescription else { return }
        // A to-one inverse determines more precisely which objects join and leave.
        let counts = slot.inverse < 0 || slot.inverseIsToMany
        with(change.id, relationship: relationship) { entry in
            entry.order = members.order
            guard counts else { return }
            entry.added += members.added
            entry.removed.formUnion(members.removed)
        }
    }

    /// Records that an update of an object's node writes all its relationships as the context knows them, changed or
    /// not.
    mutating func recordUpdate(of change: ObjectChange) {
        for index in change.layout.toManySlots where !change.layout.slots[index].isTransient {
            guard let relationship = change.layout.slots[index].property as? NSRelationshipDescription else { continue }
            with(change.id, relationship: relationship) { _ in }
        }
    }
}
