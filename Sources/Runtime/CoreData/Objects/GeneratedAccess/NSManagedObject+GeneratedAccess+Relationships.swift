public import Foundation
internal import RuntimeSupport

/// Access to relationships for the code that `modelc generate --flavor portable` writes. `GeneratedAccess.swift`
/// describes slots and fingerprints.
extension NSManagedObject {
    /// Returns the slot of a property: the one that the code was generated with if the entity is still the same.
    /// Returns `nil` for an object that records key accesses.
    private final func number(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int? {
        if self.layout.hasFingerprint(fingerprint) { return slot }
        return isRecording ? nil : slotIndex(of: "\(key)")
    }

    /// Reads a to-one relationship.
    public final func readObject<Object: NSManagedObject>(
        _ slot: Int, _ fingerprint: UInt64, _ key: StaticString
    ) -> Object? {
        guard let index = number(slot, fingerprint, key) else { return KeyRecorder.recordObject("\(key)", of: self) }
        return toOne(at: index) as? Object
    }

    /// Sets a to-one relationship; the other side follows.
    public final func writeObject(_ object: NSManagedObject?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        if let object { check(object, at: index) }
        setToOne(object, at: index)
    }

    /// Reads a to-many relationship.
    public final func readCollection(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> NSSet? {
        guard let index = number(slot, fingerprint, key) else {
            return KeyRecorder.recordCollection("\(key)", of: self, NSSet())
        }
        return toMany(at: index).collection as? NSSet
    }

    /// Reads an ordered to-many relationship.
    public final func readCollection(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> NSOrderedSet? {
        guard let index = number(slot, fingerprint, key) else {
            return KeyRecorder.recordCollection("\(key)", of: self, NSOrderedSet())
        }
        return toMany(at: index).collection as? NSOrderedSet
    }

    /// Sets a to-many relationship; the other side follows.
    public final func writeCollection(_ objects: NSSet?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        setAnyValue(objects, at: index)
    }

    /// Sets an ordered to-many relationship; the other side follows.
    public final func writeCollection(_ objects: NSOrderedSet?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString)
    {
        guard let index = number(slot, fingerprint, key) else { return }
        setAnyValue(objects, at: index)
    }

    /// Adds an object to a to-many relationship.
    public final func addObject(_ object: NSManagedObject, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        add(object, at: index)
    }

    /// Removes an object from a to-many relationship.
    public final func removeObject(_ object: NSManagedObject, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        remove(object, at: index)
    }

    /// Adds objects to a to-many relationship.
    public final func addObjects(_ objects: NSSet, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        for case let object as NSManagedObject in objects.allObjects { add(object, at: index) }
    }

    /// Adds objects to an ordered to-many relationship, at its end.
    public final func addObjects(_ objects: NSOrderedSet, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        for case let object as NSManagedObject in objects.array { add(object, at: index) }
    }

    /// Removes objects from a to-many relationship.
    public final func removeObjects(_ objects: NSSet, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        for case let object as NSManagedObject in objects.allObjects { remove(object, at: index) }
    }

    /// Removes objects from an ordered to-many relationship.
    public final func removeObjects(_ objects: NSOrderedSet, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let index = number(slot, fingerprint, key) else { return }
        for case let object as NSManagedObject in objects.array { remove(object, at: index) }
    }

    /// Changes an ordered to-many relationship by index. Traps if an index is out of bounds.
    ///
    /// The set that the function gets only supports the changes that generated accessors make.
    public final func changeOrder(
        _ slot: Int, _ fingerprint: UInt64, _ key: StaticString, _ change: (NSMutableOrderedSet) -> Void
    ) {
        guard let index = number(slot, fingerprint, key) else { return }
        change(IndexedMembers.make(self, index))
    }
}

/// An ordered to-many relationship that generated accessors change by index. Single objects are inserted and removed in
/// place, without copying the members.
private final class IndexedMembers: NSMutableOrderedSet {
    private var relationship: (owner: NSManagedObject, index: Int)?

    static func make(_ owner: NSManagedObject, _ index: Int) -> IndexedMembers {
        let members = IndexedMembers(objects: nil, count: 0)
        members.relationship = (owner, index)
        return members
    }

    override init(objects: UnsafePointer<AnyObject>?, count: Int) { super.init(objects: objects, count: count) }

    required init?(coder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        misuse("the members of a relationship are made by changeOrder(_:_:_:_:)")
    }

    private func change(_ body: (NSMutableOrderedSet) -> Void) {
        guard let (owner, index) = relationship else { return }
        let members = NSMutableOrderedSet(array: owner.toMany(at: index).members)
        body(members)
        owner.setAnyValue(members, at: index)
    }

    override func insert(_ object: Any, at idx: Int) {
        guard let (owner, index) = relationship else { return super.insert(object, at: idx) }
        guard let object = object as? NSManagedObject else { return change { $0.insert(object, at: idx) } }
        owner.insert(object, at: idx, in: index)
    }

    override func removeObject(at idx: Int) {
        guard let (owner, index) = relationship else { return super.removeObject(at: idx) }
        owner.removeMember(at: idx, in: index)
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) { change { $0.insert(objects, at: indexes) } }

    override func removeObjects(at indexes: IndexSet) { change { $0.removeObjects(at: indexes) } }

    override func replaceObject(at idx: Int, with obj: Any) { change { $0.replaceObject(at: idx, with: obj) } }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        change { $0.replaceObjects(at: indexes, with: objects) }
    }
}
