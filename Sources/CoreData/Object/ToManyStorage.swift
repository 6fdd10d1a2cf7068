internal import Foundation

/// The objects of a to-many relationship of one object: each once, in an order if the relationship has one.
///
/// Confined to the queue of the object's context.
@usableFromInline
final class ToManyStorage {
    let isOrdered: Bool
    private(set) var members: [NSManagedObject]
    /// The places of the members; made when there are enough of them. Only for relationships without order, where a removal
    /// moves the last member.
    private var places: PlaceIndex<NSManagedObject>?
    private var knownIdentifiers: Set<ObjectIdentifier>?
    private var cachedSet: NSObject?
    /// What was given to an overridden accessor, which may change it.
    private var primitive: NSObject?
    /// The members when they were fetched or saved last; nil when nothing has changed since.
    private(set) var original: [NSManagedObject]?

    /// As many are searched faster than hashed.
    private static let searchLimit = 12

    init(isOrdered: Bool, _ members: [NSManagedObject] = []) {
        self.isOrdered = isOrdered
        self.members = members
    }

    /// Returns the same members, which change apart from these.
    func copy() -> ToManyStorage {
        let copy = ToManyStorage(isOrdered: isOrdered, members)
        copy.original = original
        return copy
    }

    /// Whether the members, or their order, differ from those fetched or saved last.
    var isChanged: Bool {
        guard let original else { return false }
        if isOrdered { return !original.elementsEqual(members, by: ===) }
        return original.count != members.count || !original.allSatisfy(contains)
    }

    /// Returns whether another has the same members, in the same order if there is one.
    func hasSameMembers(as other: ToManyStorage) -> Bool {
        if isOrdered { return members.elementsEqual(other.members, by: ===) }
        return members.count == other.members.count && members.allSatisfy(other.contains)
    }

    /// What has been added and removed since the members were fetched or saved last.
    var changes: (added: [NSManagedObject], removed: [NSManagedObject]) {
        guard let original else { return ([], []) }
        let before = Set(original.map { ObjectIdentifier($0) })
        return (
            members.filter { !before.contains(ObjectIdentifier($0)) }, original.filter { !contains($0) }
        )
    }

    /// The members when they were fetched or saved last.
    var lastSaved: [NSManagedObject] { original ?? members }

    /// Makes the members those saved last.
    func noteSaved() {
        guard original != nil else { return }
        original = nil
        // A table takes more memory than the members, and is made again when one of them is looked for.
        places = nil
        knownIdentifiers = nil
    }

    private func willChange() {
        cachedSet = nil
        primitive = nil
        if original == nil { original = members }
    }

    var count: Int { members.count }

    func contains(_ object: NSManagedObject) -> Bool { index(of: object) != nil }

    /// Returns the place of a member. For an ordered relationship the answer takes a search.
    func index(of object: NSManagedObject) -> Int? {
        guard members.count > Self.searchLimit else { return members.firstIndex { $0 === object } }
        if isOrdered {
            if knownIdentifiers == nil { knownIdentifiers = Set(members.map { ObjectIdentifier($0) }) }
            guard knownIdentifiers?.contains(ObjectIdentifier(object)) == true else { return nil }
            return members.firstIndex { $0 === object }
        }
        if places == nil { places = PlaceIndex(members) }
        return places?.place(of: object, in: members)
    }

    /// Adds an object at the end, unless it is there. Returns whether it was added.
    @discardableResult
    func add(_ object: NSManagedObject) -> Bool {
        guard index(of: object) == nil else { return false }
        append(object)
        return true
    }

    /// Adds an object that was just looked for, and is not there, at the end.
    func append(_ object: NSManagedObject) {
        willChange()
        knownIdentifiers?.insert(ObjectIdentifier(object))
        members.append(object)
        places?.noteLast(of: members)
    }

    /// Removes an object. Returns whether it was there.
    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        guard let index = index(of: object) else { return false }
        remove(object, at: index)
        return true
    }

    /// Removes an object whose place was just looked up.
    func remove(_ object: NSManagedObject, at index: Int) {
        willChange()
        knownIdentifiers?.remove(ObjectIdentifier(object))
        if isOrdered {
            members.remove(at: index)
            return
        }
        places?.remove(at: index, from: members)
        let last = members.removeLast()
        if index < members.count { members[index] = last }
    }

    /// Removes the members that have the flag `leaving`.
    func removeLeaving() {
        willChange()
        places = nil
        knownIdentifiers = nil
        members = members.filterUncounted { !$0.flags.contains(.leaving) }
    }

    /// Sets all members; each counts once.
    func replace(_ objects: [NSManagedObject]) {
        willChange()
        var seen: Set<ObjectIdentifier> = []
        members = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
        places = nil
        knownIdentifiers = nil
    }

    /// Removes an object that was removed in the store. This is not a local change.
    func rebase(removing object: NSManagedObject) {
        let saved = original
        remove(object)
        original = saved.map { $0.filter { $0 !== object } }
    }

    /// Adds an object that was added in the store. This is not a local change.
    func rebase(adding object: NSManagedObject) {
        let saved = original
        add(object)
        original = saved.map { $0.contains { $0 === object } ? $0 : $0 + [object] }
    }

    /// The members as `NSSet` or `NSOrderedSet`, which does not change with the relationship.
    var collection: NSObject {
        if let cachedSet { return cachedSet }
        let made: NSObject = isOrdered ? NSOrderedSet(array: members) : memberSet
        cachedSet = made
        return made
    }

    /// The members as a set, made of their references: Foundation would convert an array element by element.
    private var memberSet: NSSet {
        members.withUnsafeBytes { NSSet(objects: $0.bindMemory(to: AnyObject.self).baseAddress, count: members.count) }
    }

    // MARK: Overridden accessors

    /// The members as a set that accessors may change. Of Foundation's own class: Swift's casts find nothing in subclasses.
    var primitiveCollection: NSObject {
        if let primitive { return primitive }
        let made: NSObject = isOrdered ? NSMutableOrderedSet(array: members) : NSMutableSet(array: members)
        primitive = made
        return made
    }

    /// Mutating a set that was returned to a caller changes nothing here.
    func forgetPrimitiveCollection() {
        primitive = nil
    }

    /// Returns the members as an accessor has left them.
    func takePrimitiveCollection() -> [NSManagedObject] {
        defer { primitive = nil }
        switch primitive {
        case let set as NSOrderedSet: return set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObject }
        default: return members
        }
    }
}
