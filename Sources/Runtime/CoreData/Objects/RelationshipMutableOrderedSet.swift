internal import Foundation
internal import RuntimeSupport

/// A mutable ordered set that reads and changes an ordered to-many relationship.
///
/// Foundation's methods work on storage that subclasses cannot access, so every mutating method is overridden. `array`,
/// `set` and iteration cannot be overridden: their storage reflects changes made through this set, but not those made
/// elsewhere (DEVIATIONS.md). A change of one member is made in both places, without copying the members.
final class RelationshipMutableOrderedSet: NSMutableOrderedSet {
    private var owner: NSManagedObject?
    private var index = 0
    /// The members that Foundation's storage contains, and their version; `nil` while it is being filled.
    private var mirrored: (members: ToManyStorage, version: Int)?
    /// The number of objects in Foundation's storage while it is being changed.
    private var filled: Int?

    /// Returns the set of a relationship. Loops ask for it again for each change: the last set that was changed is
    /// returned again until changes are saved or discarded, because filling another takes time for each member.
    static func make(_ owner: NSManagedObject, _ index: Int) -> RelationshipMutableOrderedSet {
        let storage = owner.toMany(at: index)
        if let last = owner.directContext?.pending.lastOrderedSet, last.owner === owner, last.index == index,
            last.isUpToDate(with: storage)
        {
            return last
        }
        WorkCount.record(storage.count)
        let members: [AnyObject] = storage.members
        let set = members.withUnsafeBufferPointer { buffer in
            RelationshipMutableOrderedSet(objects: buffer.baseAddress, count: buffer.count)
        }
        set.owner = owner
        set.index = index
        set.mirrored = (storage, storage.version)
        return set
    }

    override init(objects: UnsafePointer<AnyObject>?, count: Int) {
        super.init(objects: objects, count: count)
    }

    required init?(coder aDecoder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        misuse("an ordered set of a relationship is made by mutableOrderedSetValue(forKey:)")
    }

    private var members: [NSManagedObject] { owner?.toMany(at: index).members ?? [] }

    private func managed(_ object: Any) -> NSManagedObject {
        if let object = object as? NSManagedObject { return object }
        misuse(
            "NSInvalidArgumentException",
            "a \(type(of: object)) cannot be in the relationship “\(owner?.layout.name ?? "").\(name)”")
    }

    private var name: String { owner?.layout.slots[index].name ?? "" }

    /// Changes any number of members.
    private func change(_ body: (inout [NSManagedObject]) -> Void) {
        var members = members
        WorkCount.record(members.count)
        body(&members)
        for member in members { if let owner { owner.check(member, owner.layout.slots[index]) } }
        owner?.setToMany(members, at: index)
        refill()
    }

    /// A change of one object in Foundation's storage.
    private enum Step {
        case insertion(NSManagedObject, Int)
        case removal(Int)
    }

    /// Changes single members, in Foundation's storage too if it is up to date.
    ///
    /// - Parameter steps: The changes of the members that `body` makes.
    private func change(_ steps: [Step], _ body: (NSManagedObject, Int) -> Void) {
        guard let owner else { return }
        let (storage, count) = (owner.toMany(at: index), count)
        let isMirrored = isUpToDate(with: storage)
        let version = storage.version + steps.count
        body(owner, index)
        // Observers may have changed the members further.
        guard isMirrored, storage === owner.toMany(at: index), storage.version == version else { return refill() }
        filled = count
        WorkCount.record(steps.count)
        for step in steps {
            switch step {
            case .insertion(let object, let position):
                super.insert(object, at: position)
                filled = filled.map { $0 + 1 }
            case .removal(let position):
                super.removeObject(at: position)
                filled = filled.map { $0 - 1 }
            }
        }
        filled = nil
        mirrored = (storage, version)
        owner.directContext?.pending.lastOrderedSet = self
    }

    /// Whether Foundation's storage contains the members of the relationship.
    private func isUpToDate(with storage: ToManyStorage) -> Bool {
        mirrored.map { $0.members === storage && $0.version == storage.version } ?? false
    }

    private func refill() {
        guard let storage = owner?.toMany(at: index) else { return }
        WorkCount.record(storage.count)
        filled = 0
        super.removeAllObjects()
        for (position, member) in storage.members.enumerated() {
            filled = position
            super.insert(member, at: position)
        }
        filled = nil
        mirrored = (storage, storage.version)
    }

    private func check(_ position: Int, _ limit: Int) {
        guard position < 0 || position > limit else { return }
        misuse(
            "NSRangeException",
            "the position \(position) is beyond the \(count) objects of the relationship “\(owner?.layout.name ?? "").\(name)”"
        )
    }

    // MARK: Reading

    override var count: Int { filled ?? owner?.toMany(at: index).count ?? 0 }

    override func contains(_ object: Any) -> Bool {
        guard filled == nil, let object = object as? NSManagedObject else { return false }
        return owner?.toMany(at: index).contains(object) ?? false
    }

    override func object(at idx: Int) -> Any { members[idx] }

    override func index(of object: Any) -> Int {
        (object as? NSManagedObject).flatMap { owner?.toMany(at: index).index(of: $0) } ?? NSNotFound
    }

    override func sortedArray(comparator cmptr: (Any, Any) -> ComparisonResult) -> [Any] {
        NSArray(array: members).sortedArray(comparator: cmptr)
    }

    override func sortedArray(
        options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) -> [Any] { NSArray(array: members).sortedArray(options: opts, usingComparator: cmptr) }

    override func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
        sorted(members) { sortDescriptors.compare($0, to: $1) }
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: members) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: members) }

    // MARK: Adding

    override func add(_ object: Any) {
        let object = managed(object)
        guard !contains(object) else { return }
        change([.insertion(object, count)]) { $0.add(object, at: $1) }
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        for object in UnsafeBufferPointer(start: objects, count: count) { add(object) }
    }

    override func addObjects(from array: [Any]) { for object in array { add(object) } }

    override func insert(_ object: Any, at idx: Int) {
        check(idx, count)
        let object = managed(object)
        guard !contains(object) else { return }
        change([.insertion(object, idx)]) { $0.insert(object, at: idx, in: $1) }
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (object, position) in zip(objects, indexes) { insert(object, at: position) }
    }

    // MARK: Removing

    override func removeObject(at idx: Int) {
        check(idx, count - 1)
        change([.removal(idx)]) { $0.removeMember(at: idx, in: $1) }
    }

    override func removeObjects(in range: NSRange) {
        check(range.location + range.length, count)
        change { $0.removeSubrange(range.location..<range.location + range.length) }
    }

    override func removeObjects(at indexes: IndexSet) {
        check(indexes.last ?? 0, Swift.max(count - 1, 0))
        change { members in for position in indexes.reversed() { members.remove(at: position) } }
    }

    override func removeAllObjects() { change { $0 = [] } }

    override func remove(_ val: Any) {
        guard contains(val) else { return }
        removeObject(at: index(of: val))
    }

    override func removeObjects(in array: [Any]) {
        let removed = Set(array.map { ObjectIdentifier($0 as AnyObject) })
        change { members in members.removeAll { removed.contains(ObjectIdentifier($0)) } }
    }

    // MARK: Replacing and moving

    override func replaceObject(at idx: Int, with obj: Any) {
        check(idx, count - 1)
        let object = managed(obj)
        guard !contains(object) else { return }
        change([.removal(idx), .insertion(object, idx)]) { $0.replaceMember(at: idx, with: object, in: $1) }
    }

    override func setObject(_ obj: Any, at idx: Int) {
        if idx == count { add(obj) } else { replaceObject(at: idx, with: obj) }
    }

    override subscript(idx: Int) -> Any {
        get { object(at: idx) }
        set { setObject(newValue, at: idx) }
    }

    override func replaceObjects(in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int) {
        check(range.location + range.length, self.count)
        let new = UnsafeBufferPointer(start: objects, count: count).map(managed)
        change { $0.replaceSubrange(range.location..<range.location + range.length, with: new) }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        check(indexes.last ?? 0, Swift.max(count - 1, 0))
        change { members in for (object, position) in zip(objects, indexes) { members[position] = managed(object) } }
    }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        check(Swift.max(idx1, idx2), count - 1)
        change { $0.swapAt(idx1, idx2) }
    }

    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        check(indexes.last ?? 0, Swift.max(count - 1, 0))
        if indexes.count == 1, let from = indexes.first { return moveObject(from: from, to: Swift.min(idx, count - 1)) }
        change { members in
            let moved = indexes.map { members[$0] }
            for position in indexes.reversed() { members.remove(at: position) }
            members.insert(contentsOf: moved, at: Swift.min(idx, members.count))
        }
    }

    private func moveObject(from: Int, to: Int) {
        change([.removal(from), .insertion(members[from], to)]) { $0.moveMember(at: from, to: to, in: $1) }
    }

    // MARK: Sets

    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

    override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

    override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

    override func intersect(_ other: NSOrderedSet) { keep(other.array) }

    override func intersectSet(_ other: Set<AnyHashable>) { keep(other.map(\.base)) }

    private func keep(_ objects: [Any]) {
        let kept = Set(objects.map { ObjectIdentifier($0 as AnyObject) })
        change { members in members.removeAll { !kept.contains(ObjectIdentifier($0)) } }
    }

    // MARK: Sorting

    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
        change { $0 = sorted($0, by: cmptr) }
    }

    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult) {
        change { $0 = sorted($0, by: cmptr) }
    }

    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        check(range.location + range.length, count)
        let positions = range.location..<range.location + range.length
        change { $0.replaceSubrange(positions, with: sorted(Array($0[positions]), by: cmptr)) }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        change { $0 = sorted($0) { sortDescriptors.compare($0, to: $1) } }
    }

    /// Returns the members in the order of a comparator. The sort is stable.
    private func sorted(
        _ members: [NSManagedObject], by compare: (Any, Any) -> ComparisonResult
    ) -> [NSManagedObject] {
        members.enumerated().sorted { one, other in
            switch compare(one.element, other.element) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: one.offset < other.offset
            }
        }.map(\.element)
    }
}
