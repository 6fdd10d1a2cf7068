internal import Foundation

/// The objects of a to-many relationship as a set that can be changed.
final class RelationshipMutableSet: NSMutableSet {
    private let owner: NSManagedObject
    private let index: Int

    init(_ owner: NSManagedObject, _ index: Int) {
        self.owner = owner
        self.index = index
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        misuse("a set of a relationship is made by mutableSetValue(forKey:)")
    }

    required convenience init?(coder: NSCoder) { nil }

    private var storage: ToManyStorage { owner.toMany(at: index) }

    override var count: Int { storage.count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject, storage.contains(object) else { return nil }
        return object
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: storage.members).objectEnumerator() }

    override func add(_ object: Any) { owner.add(managed(object), at: index) }

    override func remove(_ object: Any) {
        guard let object = object as? NSManagedObject else { return }
        owner.remove(object, at: index)
    }

    override var allObjects: [Any] { storage.members }

    private func managed(_ object: Any) -> NSManagedObject {
        if let object = object as? NSManagedObject { return object }
        misuse(
            "NSInvalidArgumentException",
            "a \(type(of: object)) cannot be in the relationship “\(owner.layout.name).\(owner.layout.slots[index].name)”"
        )
    }
}

/// The objects of an ordered to-many relationship as an ordered set that can be changed.
///
/// Foundation's `array` and `set` cannot be overridden on Linux: they give the members as they were when the set was asked for
/// (DEVIATIONS.md).
final class RelationshipMutableOrderedSet: NSMutableOrderedSet {
    private var owner: NSManagedObject?
    private var index = 0

    static func make(_ owner: NSManagedObject, _ index: Int) -> RelationshipMutableOrderedSet {
        let members: [AnyObject] = owner.toMany(at: index).members
        let set = members.withUnsafeBufferPointer { buffer in
            RelationshipMutableOrderedSet(objects: buffer.baseAddress, count: buffer.count)
        }
        set.owner = owner
        set.index = index
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

    private func change(_ body: (inout [NSManagedObject]) -> Void) {
        var members = members
        body(&members)
        owner?.setToMany(members, at: index)
    }

    override var count: Int { members.count }

    override func contains(_ object: Any) -> Bool { index(of: object) != NSNotFound }

    override func object(at idx: Int) -> Any { members[idx] }

    override func index(of object: Any) -> Int {
        members.firstIndex { $0 === object as AnyObject } ?? NSNotFound
    }

    override func insert(_ object: Any, at idx: Int) {
        guard let object = object as? NSManagedObject, !members.contains(where: { $0 === object }) else { return }
        change { $0.insert(object, at: idx) }
    }

    override func removeObject(at idx: Int) { change { $0.remove(at: idx) } }

    override func replaceObject(at idx: Int, with obj: Any) {
        guard let object = obj as? NSManagedObject else { return }
        change { $0[idx] = object }
    }
}
