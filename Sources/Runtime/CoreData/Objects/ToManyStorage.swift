internal import Foundation
internal import RuntimeSupport

/// The distinct members of an object's to-many relationship, in order if it is ordered.
///
/// Confined to the queue of the object's context.
@usableFromInline
final class ToManyStorage {
    let isOrdered: Bool
    /// Whether the members could not be read. They are read again on the next access, and added to those set here.
    var isUnread = false
    // No function calls the app's code while it changes these, so they need no checks for exclusive access.
    @exclusivity(unchecked) private(set) var members: [NSManagedObject]
    /// The indices of the members, built once there are enough of them. Only for unordered relationships, where a
    /// removal moves the last member.
    @exclusivity(unchecked) private var positions: ObjectPositions<NSManagedObject>?
    @exclusivity(unchecked) private var knownIdentifiers: Set<ObjectIdentifier>?
    /// The members as they were returned last. Changed in place while nothing else retains it, so that a loop of reads
    /// and changes does not copy the members each time.
    private var cachedSet: NSMutableSet?
    private var cachedList: NSMutableOrderedSet?
    /// The collection that was returned to a custom accessor, which may change it.
    private var primitive: NSObject?
    /// The members when they were last fetched or saved; `nil` if nothing has changed since.
    @exclusivity(unchecked) private(set) var original: [NSManagedObject]?

    /// The logs of events that may ask for the members before them.
    private var logs: [MemberLog] = []
    /// The number of changes.
    private(set) var version = 0

    /// The maximum number of members for which a linear search is faster than hashing.
    private static let searchLimit = 12

    init(isOrdered: Bool, _ members: [NSManagedObject] = []) {
        self.isOrdered = isOrdered
        self.members = members
    }

    /// Returns a copy that changes independently.
    func copy() -> ToManyStorage {
        WorkCount.record(members.count)
        let copy = ToManyStorage(isOrdered: isOrdered, members)
        copy.original = original
        copy.isUnread = isUnread
        return copy
    }

    /// Whether the members or their order differ from those last fetched or saved.
    var isChanged: Bool {
        guard let original else { return false }
        WorkCount.record(members.count)
        if isOrdered { return !original.elementsEqual(members, by: ===) }
        return original.count != members.count || !original.allSatisfy(contains)
    }

    /// Returns whether another storage has the same members, in the same order if it is ordered.
    func hasSameMembers(as other: ToManyStorage) -> Bool {
        WorkCount.record(members.count)
        if isOrdered { return members.elementsEqual(other.members, by: ===) }
        return members.count == other.members.count && members.allSatisfy(other.contains)
    }

    /// The members added and removed since the last fetch or save.
    var changes: (added: [NSManagedObject], removed: [NSManagedObject]) {
        guard let original else { return ([], []) }
        WorkCount.record(original.count + members.count)
        let before = Set(original.map { ObjectIdentifier($0) })
        return (
            members.filter { !before.contains(ObjectIdentifier($0)) }, original.filter { !contains($0) }
        )
    }

    /// The members when they were last fetched or saved.
    var lastSaved: [NSManagedObject] { original ?? members }

    /// Records the current members as those last saved.
    func recordSaved() {
        guard original != nil else { return }
        original = nil
        // A table takes more memory than the members, and is rebuilt on the next lookup.
        positions = nil
        knownIdentifiers = nil
    }

    /// Records the members that a save has written as those last saved, although they may have changed since.
    func recordSaved(as saved: [NSManagedObject]) {
        original = saved
        if !isChanged { recordSaved() }
    }

    /// Applies the same change to the cached collection, or drops it if it is retained elsewhere.
    private func changeCached(_ forSet: (NSMutableSet) -> Void, _ forList: (NSMutableOrderedSet) -> Void) {
        if isKnownUniquelyReferenced(&cachedSet), let cachedSet { forSet(cachedSet) } else { cachedSet = nil }
        if isKnownUniquelyReferenced(&cachedList), let cachedList { forList(cachedList) } else { cachedList = nil }
    }

    /// Prepares for a change: of one member, or of all.
    private func willChange(_ change: MemberLog.Change?) {
        if change == nil { (cachedSet, cachedList) = (nil, nil) }
        if !logs.isEmpty { log(change) }
        primitive = nil
        version += 1
        if original == nil { original = members }
    }

    // MARK: Logs

    /// Returns a log of the changes that follow.
    func startLog() -> MemberLog {
        removeUnusedLogs()
        let log = MemberLog()
        logs.append(log)
        return log
    }

    private func removeUnusedLogs() {
        for index in logs.indices.reversed() where isKnownUniquelyReferenced(&logs[index]) { logs.remove(at: index) }
    }

    private func log(_ change: MemberLog.Change?) {
        removeUnusedLogs()
        for log in logs {
            if let change {
                log.record(change, of: members, isOrdered: isOrdered)
            } else {
                log.recordReplacement(of: members, isOrdered: isOrdered)
            }
        }
    }

    // MARK: Members

    var count: Int { members.count }

    func contains(_ object: NSManagedObject) -> Bool {
        guard isOrdered, members.count > Self.searchLimit else { return index(of: object) != nil }
        return isKnown(object)
    }

    /// Returns whether an object is a member of an ordered relationship.
    private func isKnown(_ object: NSManagedObject) -> Bool {
        if knownIdentifiers == nil { knownIdentifiers = Set(members.map { ObjectIdentifier($0) }) }
        return knownIdentifiers?.contains(ObjectIdentifier(object)) == true
    }

    /// Returns the index of a member. Linear for an ordered relationship.
    func index(of object: NSManagedObject) -> Int? {
        guard members.count > Self.searchLimit else { return members.firstIndex { $0 === object } }
        if isOrdered {
            guard isKnown(object) else { return nil }
            WorkCount.record(members.count)
            return members.firstIndex { $0 === object }
        }
        if positions == nil {
            WorkCount.record(members.count)
            positions = ObjectPositions(members)
        }
        return positions?.position(of: object, in: members)
    }

    /// Appends an object unless it is a member. Returns whether it was added.
    @discardableResult
    func add(_ object: NSManagedObject) -> Bool {
        guard index(of: object) == nil else { return false }
        append(object)
        return true
    }

    /// Appends an object that the caller knows not to be a member.
    func append(_ object: NSManagedObject) {
        willChange(.insertion(object, members.count))
        changeCached({ $0.add(object) }, { $0.add(object) })
        knownIdentifiers?.insert(ObjectIdentifier(object))
        members.append(object)
        positions?.recordLast(of: members)
    }

    /// Removes an object. Returns whether it was a member.
    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        guard let index = index(of: object) else { return false }
        remove(object, at: index)
        return true
    }

    /// Removes an object whose index the caller has just looked up.
    func remove(_ object: NSManagedObject, at index: Int) {
        willChange(.removal(object, index))
        changeCached({ $0.remove(object) }, { $0.removeObject(at: index) })
        knownIdentifiers?.remove(ObjectIdentifier(object))
        if isOrdered {
            members.remove(at: index)
            return
        }
        positions?.remove(at: index, from: members)
        let last = members.removeLast()
        if index < members.count { members[index] = last }
    }

    /// Inserts an object that the caller knows not to be a member at an index of an ordered relationship.
    func insert(_ object: NSManagedObject, at index: Int) {
        willChange(.insertion(object, index))
        changeCached({ $0.add(object) }, { $0.insert(object, at: index) })
        knownIdentifiers?.insert(ObjectIdentifier(object))
        members.insert(object, at: index)
    }

    /// Removes the members that have the flag `leaving`.
    func removeLeaving() {
        WorkCount.record(members.count)
        willChange(nil)
        positions = nil
        knownIdentifiers = nil
        members = members.filterUncounted { !$0.flags.contains(.leaving) }
    }

    /// Replaces all members, dropping duplicates.
    func replace(_ objects: [NSManagedObject]) {
        WorkCount.record(members.count + objects.count)
        willChange(nil)
        var seen: Set<ObjectIdentifier> = []
        members = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
        positions = nil
        knownIdentifiers = nil
    }

    /// Removes the members that have the flag `leaving` and were removed in the store. This is not a local change.
    func rebaseRemovingLeaving() {
        let saved = original
        removeLeaving()
        original = saved.map { $0.filterUncounted { !$0.flags.contains(.leaving) } }
    }

    /// Removes an object that was removed in the store. This is not a local change.
    func rebase(removing object: NSManagedObject) {
        let saved = original
        remove(object)
        WorkCount.record(saved?.count ?? 0)
        original = saved.map { $0.filter { $0 !== object } }
    }

    /// Adds an object that was added in the store. This is not a local change.
    func rebase(adding object: NSManagedObject) {
        let saved = original
        WorkCount.record(saved?.count ?? 0)
        add(object)
        original = saved.map { $0.contains { $0 === object } ? $0 : $0 + [object] }
    }

    /// The members as an `NSSet` or `NSOrderedSet`, which does not change while it is retained.
    var collection: NSObject {
        if let cachedSet { return cachedSet }
        if let cachedList { return cachedList }
        WorkCount.record(members.count)
        if isOrdered {
            let list = NSMutableOrderedSet(array: members)
            cachedList = list
            return list
        }
        // From their references: Foundation would convert an array element by element.
        let set = members.withUnsafeBytes {
            NSMutableSet(objects: $0.bindMemory(to: AnyObject.self).baseAddress, count: members.count)
        }
        cachedSet = set
        return set
    }

    // MARK: Custom accessors

    /// The members as a mutable set for custom accessors. Of Foundation's own class, because Swift's casts do not see
    /// the elements of subclasses.
    var primitiveCollection: NSObject {
        if let primitive { return primitive }
        let made: NSObject = isOrdered ? NSMutableOrderedSet(array: members) : NSMutableSet(array: members)
        primitive = made
        return made
    }

    /// Detaches the mutable set returned earlier: later changes to it have no effect here.
    func forgetPrimitiveCollection() {
        primitive = nil
    }

    /// Returns the members as a custom accessor has left them.
    func takePrimitiveCollection() -> [NSManagedObject] {
        defer { primitive = nil }
        switch primitive {
        case let set as NSOrderedSet: return set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObject }
        default: return members
        }
    }
}
