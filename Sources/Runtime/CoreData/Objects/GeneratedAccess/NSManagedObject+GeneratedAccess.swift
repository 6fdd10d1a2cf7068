public import Foundation

/// Access to properties by slot, for the code that `modelc generate --flavor portable` writes.
///
/// The slot number comes from the model that the code was generated from. The fingerprint of that model's entity tells
/// whether the object's entity has the same slots, itself or by inheritance; if not, the property is looked up by name.
/// Not meant to be called by hand.
///
/// Each accessor is inlined at its use and makes at most one call, in tail position, for the other cases: a fault, an
/// object that reads its values from a row, the first change of an event, an observed object, another layout. If the
/// result of a call were used further, the optimizer would retain the object for the whole accessor, which takes twenty
/// times as long as the read.
extension NSManagedObject {
    /// Returns the object's own values if it has any and the slot numbers of a fingerprint apply to them, otherwise
    /// `nil`.
    @inlinable
    @inline(__always)
    final func readySlots(_ fingerprint: UInt64) -> UnsafeMutablePointer<SlotValue>? {
        let state = state
        let isKnown = state.pointee.fingerprint == fingerprint || state.pointee.parentFingerprint == fingerprint
        return isKnown ? state.pointee.slots : nil
    }

    /// Returns the values for changes if the object's change is already recorded and the slot numbers apply, otherwise
    /// `nil`.
    @inlinable
    @inline(__always)
    final func changeableSlots(_ fingerprint: UInt64) -> UnsafeMutablePointer<SlotValue>? {
        state.pointee.flags.contains(.directlyWritable) ? readySlots(fingerprint) : nil
    }

    /// Returns the values, loading them if needed, or `nil` if the slot numbers of a fingerprint do not apply to them.
    final func slots(_ fingerprint: UInt64) -> SlotReader? {
        guard state.pointee.observers == nil, self.layout.hasFingerprint(fingerprint) else { return nil }
        if flags.contains(.shared) { recordSnapshotRead() }
        return realizedSlots()
    }

    /// Records a change, and returns the values for it, or `nil` if the slot numbers of a fingerprint do not apply to
    /// them.
    final func slotsForChange(_ fingerprint: UInt64) -> UnsafeMutablePointer<SlotValue>? {
        guard slots(fingerprint) != nil else { return nil }
        recordChange()
        return writableSlots()
    }

    // MARK: Text

    /// Reads text.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> String? {
        guard let slots = readySlots(fingerprint) else { return readText(slot, fingerprint, key) }
        if case .string(let value) = slots[slot] { return value }
        return nil
    }

    @usableFromInline
    @inline(never)
    final func readText(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> String? {
        guard let slots = slots(fingerprint) else { return value(forKey: "\(key)") as? String }
        if case .string(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes text.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: String?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeText(value, slot, fingerprint, key) }
        slots[slot] = value.map { .string($0) } ?? .null
    }

    @usableFromInline
    @inline(never)
    final func writeText(_ value: String?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .string($0) } ?? .null
    }

    // MARK: Date

    /// Reads a date.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Date? {
        guard let slots = readySlots(fingerprint) else { return readDate(slot, fingerprint, key) }
        if case .date(let value) = slots[slot] { return value }
        return nil
    }

    @usableFromInline
    @inline(never)
    final func readDate(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Date? {
        guard let slots = slots(fingerprint) else { return value(forKey: "\(key)") as? Date }
        if case .date(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes a date.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Date?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeDate(value, slot, fingerprint, key) }
        slots[slot] = value.map { .date($0) } ?? .null
    }

    @usableFromInline
    @inline(never)
    final func writeDate(_ value: Date?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .date($0) } ?? .null
    }

    // MARK: Data

    /// Reads bytes.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Data? {
        guard let slots = readySlots(fingerprint) else { return readData(slot, fingerprint, key) }
        if case .data(let value) = slots[slot] { return value }
        if case .null = slots[slot] { return nil }
        return readData(slot, fingerprint, key)
    }

    @usableFromInline
    @inline(never)
    final func readData(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Data? {
        guard slots(fingerprint) != nil else { return value(forKey: "\(key)") as? Data }
        if case .data(let value) = attributeValue(at: slot) { return value }
        return nil
    }

    /// Writes bytes.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Data?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeData(value, slot, fingerprint, key) }
        slots[slot] = value.map { .data($0) } ?? .null
    }

    @usableFromInline
    @inline(never)
    final func writeData(_ value: Data?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .data($0) } ?? .null
    }

    // MARK: UUID

    /// Reads a UUID.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> UUID? {
        guard let slots = readySlots(fingerprint) else { return readUUID(slot, fingerprint, key) }
        if case .uuid(let value) = slots[slot] { return value }
        return nil
    }

    @usableFromInline
    @inline(never)
    final func readUUID(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> UUID? {
        guard let slots = slots(fingerprint) else { return value(forKey: "\(key)") as? UUID }
        if case .uuid(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes a UUID.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: UUID?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeUUID(value, slot, fingerprint, key) }
        slots[slot] = value.map { .uuid($0) } ?? .null
    }

    @usableFromInline
    @inline(never)
    final func writeUUID(_ value: UUID?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .uuid($0) } ?? .null
    }

    // MARK: Other types

    /// Returns a value of any other type, or `nil` if the value has a different type.
    public final func readSlot<Value>(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Value? {
        value(forKey: "\(key)") as? Value
    }

    /// Writes a value of any other type.
    public final func writeSlot<Value>(_ value: Value?, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        setValue(value, forKey: "\(key)")
    }
}
