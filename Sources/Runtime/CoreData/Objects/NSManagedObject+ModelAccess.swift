internal import Foundation

/// Access to properties by slot, for modules whose model classes keep their values in managed objects.
///
/// Typed values are read and written by `readSlot` and `writeSlot` with the fingerprint of the object's own entity.
extension NSManagedObject {
    /// The fingerprint of the entity's slots.
    package final var slotFingerprint: UInt64 { layout.fingerprint }

    /// The version of the stored row that the object was read from; `nil` for faults and new objects.
    package final var rowVersion: Int? { snapshot?.version }

    /// Returns the slot of a property, or `nil` if the entity has no such property.
    package final func slotNumber(of key: String) -> Int? { layout.index(of: key) }

    /// Returns the value of a slot as in key-value coding.
    package final func value(ofSlot slot: Int) -> Any? { anyValue(at: slot) }

    /// Sets a slot as key-value coding does.
    package final func setValue(_ value: Any?, ofSlot slot: Int) { setAnyValue(value, at: slot) }

    /// Returns the integer in a slot, or `nil` if it is null.
    package final func integer(ofSlot slot: Int) -> Int64? {
        if case .integer(let value) = realizedSlots()[slot] { return value }
        return (value(ofSlot: slot) as? NSNumber)?.int64Value
    }

    /// Returns the Boolean in a slot, or `nil` if it is null.
    package final func boolean(ofSlot slot: Int) -> Bool? {
        if case .boolean(let value) = realizedSlots()[slot] { return value }
        return (value(ofSlot: slot) as? NSNumber)?.boolValue
    }

    /// Returns the number in a slot, or `nil` if it is null.
    package final func double(ofSlot slot: Int) -> Double? {
        if case .double(let value) = realizedSlots()[slot] { return value }
        return (value(ofSlot: slot) as? NSNumber)?.doubleValue
    }

    /// Returns the object at the other end of a to-one relationship.
    package final func object(ofSlot slot: Int) -> NSManagedObject? { toOne(at: slot) }

    /// Sets a to-one relationship; the other side follows.
    package final func setObject(_ object: NSManagedObject?, ofSlot slot: Int) {
        if let object { check(object, at: slot) }
        setToOne(object, at: slot)
    }

    /// Returns the objects of a to-many relationship, in the order of the last change or of the store.
    package final func members(ofSlot slot: Int) -> [NSManagedObject] { toMany(at: slot).members }

    /// Sets the objects of a to-many relationship; the other sides follow.
    package final func setMembers(_ objects: [NSManagedObject], ofSlot slot: Int) {
        for object in objects { check(object, at: slot) }
        setToMany(objects, at: slot)
    }

    /// Adds objects to a to-many relationship, at its end; the other sides follow. As with `setMembers(_:ofSlot:)`, the
    /// object counts as changed even if all of them are members.
    package final func addMembers(_ objects: [NSManagedObject], ofSlot slot: Int) {
        recordChange()
        for object in objects { add(object, at: slot) }
    }

    /// Whether a to-many relationship was looked up or set.
    package final func hasMembers(ofSlot slot: Int) -> Bool {
        if let slots = loadedSlots, case .many = slots[slot] { true } else { false }
    }

    /// The object's ID, without checks.
    package final var currentID: NSManagedObjectID { directID }
}

extension NSManagedObjectID {
    /// The last component of the ID's URI, such as `p1`.
    package final var primaryKeyText: String { rowKey.map { "p\($0)" } ?? uriRepresentation().lastPathComponent }

    /// The reference object from which a custom store made the ID; `nil` for a temporary ID.
    package final var referenceValue: Any? { reference.referenceObject }

    /// The UUID of the store; `nil` for a temporary ID.
    package final var storeUUIDText: String? { storeIdentity?.uuid }

    /// Returns whether both identify the same object.
    package final func isEqual(toID other: NSManagedObjectID) -> Bool { isSame(as: other) }
}

extension NSManagedObjectContext {
    /// The objects that were inserted since the last save, each once.
    package final var insertedList: [NSManagedObject] { pending.objects.filter { $0.isInserted && !$0.isDeleted } }

    /// The objects that changed since the last save and are neither inserted nor deleted, each once.
    package final var updatedList: [NSManagedObject] { pending.objects.filter(\.isUpdated) }

    /// The saved objects that the next save deletes, each once.
    package final var deletedList: [NSManagedObject] { pending.objects.filter { $0.isDeleted && !$0.isInserted } }
}
