internal import RuntimeSupport

/// The changes of a to-many relationship since an event first changed its object.
///
/// An event that changes few of many members records these changes instead of a copy of all members.
final class MemberLog {
    /// A change of one member, with its index. A removal from an unordered relationship moves the last member there.
    enum Change {
        case insertion(NSManagedObject, Int)
        case removal(NSManagedObject, Int)
    }

    private(set) var changes: [Change] = []
    /// The members before the changes, once all were replaced or the changes outnumber the members.
    private(set) var replaced: [NSManagedObject]?

    /// Records a change that is about to be made.
    func record(_ change: Change, of members: [NSManagedObject], isOrdered: Bool) {
        guard replaced == nil else { return }
        guard changes.count < members.count + 16 else { return recordReplacement(of: members, isOrdered: isOrdered) }
        changes.append(change)
    }

    /// Records that the members are about to be replaced.
    func recordReplacement(of members: [NSManagedObject], isOrdered: Bool) {
        guard replaced == nil else { return }
        replaced = before(members, isOrdered: isOrdered)
        changes = []
    }

    /// Returns the members before the changes.
    ///
    /// - Parameter members: The members after them.
    func before(_ members: [NSManagedObject], isOrdered: Bool) -> [NSManagedObject] {
        if let replaced { return replaced }
        WorkCount.record(members.count + changes.count)
        var members = members
        for change in changes.reversed() {
            switch change {
            case .insertion(_, let index): members.remove(at: index)
            case .removal(let object, let index) where isOrdered || index == members.count:
                members.insert(object, at: index)
            case .removal(let object, let index):
                members.append(members[index])
                members[index] = object
            }
        }
        return members
    }

    /// The members that were added and removed, unless the members were replaced.
    var difference: (added: [NSManagedObject], removed: [NSManagedObject]) {
        WorkCount.record(changes.count)
        var added = ObjectList()
        var removed = ObjectList()
        for change in changes {
            switch change {
            case .insertion(let object, _): if !removed.remove(object) { added.append(object) }
            case .removal(let object, _): if !added.remove(object) { removed.append(object) }
            }
        }
        return (added.objects, removed.objects)
    }

    /// Distinct objects in order.
    private struct ObjectList {
        private var list: [NSManagedObject?] = []
        private var positions: [ObjectIdentifier: Int] = [:]

        var objects: [NSManagedObject] { list.compactMap(\.self) }

        mutating func append(_ object: NSManagedObject) {
            positions[ObjectIdentifier(object)] = list.count
            list.append(object)
        }

        /// Returns whether the object was in the list.
        mutating func remove(_ object: NSManagedObject) -> Bool {
            guard let position = positions.removeValue(forKey: ObjectIdentifier(object)) else { return false }
            list[position] = nil
            return true
        }
    }
}

/// The members of a to-many relationship before an event.
struct EarlierMembers {
    private let storage: ToManyStorage
    private let log: MemberLog

    /// Creates the members as they are now.
    init(_ storage: ToManyStorage) {
        self.storage = storage
        log = storage.startLog()
    }

    /// The members before the event. Linear in their number.
    var members: ToManyStorage {
        ToManyStorage(isOrdered: storage.isOrdered, log.before(storage.members, isOrdered: storage.isOrdered))
    }

    /// Returns what the event has changed, or `nil` if the members are the same.
    ///
    /// - Parameter now: The members after the event.
    func change(to now: ToManyStorage) -> MembersChange? {
        if now === storage, log.replaced == nil {
            let (added, removed) = log.difference
            if !added.isEmpty || !removed.isEmpty {
                return storage.isOrdered ? .steps(log.changes) : .members(added: added, removed: removed)
            }
            // Members of an ordered relationship may have moved.
            guard storage.isOrdered, !log.changes.isEmpty else { return nil }
        }
        let before = members
        guard !before.hasSameMembers(as: now) else { return nil }
        let after = now.members
        if now.isOrdered { return .order(before: before.members, after: after) }
        return .members(
            added: after.filter { !before.contains($0) }, removed: before.members.filter { !now.contains($0) })
    }
}

/// What an event has changed in a to-many relationship, for undo.
enum MembersChange {
    /// The members of an unordered relationship.
    case members(added: [NSManagedObject], removed: [NSManagedObject])
    /// The single changes of an ordered relationship, in order.
    case steps([MemberLog.Change])
    /// All members of an ordered relationship.
    case order(before: [NSManagedObject], after: [NSManagedObject])
}

extension ToManyStorage {
    /// Reverts what an event has changed. Members that it did not add or remove are kept if others have been merged
    /// since.
    ///
    /// - Parameter isUsable: Returns whether a removed member still exists.
    func revert(_ change: MembersChange, isUsable: (NSManagedObject) -> Bool) {
        switch change {
        case .members(let added, let removed):
            for member in added { remove(member) }
            for member in removed where isUsable(member) { add(member) }
        case .steps(let steps):
            for step in steps.reversed() { revert(step, isUsable: isUsable) }
        case .order(let before, let after):
            let (old, new) = (before.filter(isUsable), ToManyStorage(isOrdered: true, after))
            guard !hasSameMembers(as: new) else { return replace(old) }
            let earlier = ToManyStorage(isOrdered: true, old)
            for member in after where !earlier.contains(member) { remove(member) }
            for member in old where !new.contains(member) { add(member) }
        }
    }

    private func revert(_ step: MemberLog.Change, isUsable: (NSManagedObject) -> Bool) {
        switch step {
        case .insertion(let member, let index):
            if index < count, members[index] === member { remove(member, at: index) } else { remove(member) }
        case .removal(let member, let index):
            if isUsable(member), !contains(member) { insert(member, at: min(index, count)) }
        }
    }
}
