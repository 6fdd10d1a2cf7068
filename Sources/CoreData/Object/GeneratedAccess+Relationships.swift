public import Foundation

/// Access to relationships for the code that `modelc generate --flavour portable` writes. `GeneratedAccess.swift`
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
        guard let index = number(slot, fingerprint, key) else { return KeyRecorder.noteObject("\(key)", of: self) }
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
            return KeyRecorder.noteCollection("\(key)", of: self, NSSet())
        }
        return toMany(at: index).collection as? NSSet
    }

    /// Reads an ordered to-many relationship.
    public final func readCollection(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> NSOrderedSet? {
        guard let index = number(slot, fingerprint, key) else {
            return KeyRecorder.noteCollection("\(key)", of: self, NSOrderedSet())
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
    public final func changeOrder(
        _ slot: Int, _ fingerprint: UInt64, _ key: StaticString, _ change: (NSMutableOrderedSet) -> Void
    ) {
        guard let index = number(slot, fingerprint, key) else { return }
        let members = NSMutableOrderedSet(array: toMany(at: index).members)
        change(members)
        setAnyValue(members, at: index)
    }
}
