public import Foundation

/// Relationships for the code that `modelc generate --flavour portable` writes. What `GeneratedAccess.swift` says of slots and
/// fingerprints holds here too.
extension NSManagedObject {
    /// The number of a property here; the one that the code was generated with if the entity is still the same.
    private final func number(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Int {
        self.layout.hasFingerprint(layout) ? slot : slotIndex(of: "\(key)")
    }

    /// Reads a to-one relationship.
    public final func readObject<Object: NSManagedObject>(
        _ slot: Int, _ layout: UInt64, _ key: StaticString
    ) -> Object? {
        if isRecording { return KeyRecorder.noteObject("\(key)", of: self) }
        return toOne(at: number(slot, layout, key)) as? Object
    }

    /// Sets a to-one relationship; the other side follows.
    public final func writeObject(_ object: NSManagedObject?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        let index = number(slot, layout, key)
        if let object { check(object, at: index) }
        setToOne(object, at: index)
    }

    /// Reads a to-many relationship.
    public final func readCollection(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> NSSet? {
        if isRecording { return KeyRecorder.note("\(key)", of: self) as? NSSet }
        return toMany(at: number(slot, layout, key)).collection as? NSSet
    }

    /// Reads an ordered to-many relationship.
    public final func readCollection(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> NSOrderedSet? {
        if isRecording { return KeyRecorder.note("\(key)", of: self) as? NSOrderedSet }
        return toMany(at: number(slot, layout, key)).collection as? NSOrderedSet
    }

    /// Sets a to-many relationship; the other side follows.
    public final func writeCollection(_ objects: NSSet?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        setAnyValue(objects, at: number(slot, layout, key))
    }

    /// Sets an ordered to-many relationship; the other side follows.
    public final func writeCollection(_ objects: NSOrderedSet?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        setAnyValue(objects, at: number(slot, layout, key))
    }

    /// Adds an object to a to-many relationship.
    public final func addObject(_ object: NSManagedObject, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        add(object, at: number(slot, layout, key))
    }

    /// Removes an object from a to-many relationship.
    public final func removeObject(_ object: NSManagedObject, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        remove(object, at: number(slot, layout, key))
    }

    /// Adds objects to a to-many relationship.
    public final func addObjects(_ objects: NSSet, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        let index = number(slot, layout, key)
        for case let object as NSManagedObject in objects.allObjects { add(object, at: index) }
    }

    /// Adds objects to an ordered to-many relationship, at its end.
    public final func addObjects(_ objects: NSOrderedSet, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        let index = number(slot, layout, key)
        for case let object as NSManagedObject in objects.array { add(object, at: index) }
    }

    /// Removes objects from a to-many relationship.
    public final func removeObjects(_ objects: NSSet, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        let index = number(slot, layout, key)
        for case let object as NSManagedObject in objects.allObjects { remove(object, at: index) }
    }

    /// Removes objects from an ordered to-many relationship.
    public final func removeObjects(_ objects: NSOrderedSet, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        let index = number(slot, layout, key)
        for case let object as NSManagedObject in objects.array { remove(object, at: index) }
    }

    /// Changes an ordered to-many relationship by the places of its objects. A place that does not exist stops the program.
    public final func changeOrder(
        _ slot: Int, _ layout: UInt64, _ key: StaticString, _ change: (NSMutableOrderedSet) -> Void
    ) {
        let index = number(slot, layout, key)
        let members = NSMutableOrderedSet(array: toMany(at: index).members)
        change(members)
        setAnyValue(members, at: index)
    }
}
