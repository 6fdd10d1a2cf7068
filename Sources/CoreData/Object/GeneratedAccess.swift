public import Foundation

/// What the code that `modelc generate --flavour portable` writes calls: properties by slot.
///
/// The number of a slot was worked out from the model that the code was generated from. The fingerprint of that model's entity
/// tells whether the object's entity has the same slots, itself or by inheritance; if not, the property is found by its name.
/// Not meant to be called by hand.
extension NSManagedObject {
    /// The values, when they are in memory and slot numbers of a layout hold for them.
    @inlinable
    @inline(__always)
    final func slots(_ layout: UInt64) -> UnsafeMutablePointer<SlotValue>? {
        let state = state
        guard state.pointee.fingerprint == layout || inherits(layout) else { return nil }
        return state.pointee.slots ?? realizedSlots()
    }

    @usableFromInline
    @inline(never)
    final func inherits(_ layout: UInt64) -> Bool {
        guard state.pointee.observers == nil else { return false }
        return state.pointee.layout.inheritedFingerprints.contains(layout)
    }

    /// Lets a value be changed: notes that it is going to.
    @inlinable
    @inline(__always)
    final func changeableSlots(_ layout: UInt64) -> UnsafeMutablePointer<SlotValue>? {
        guard let slots = slots(layout) else { return nil }
        if !state.pointee.flags.contains(.noted) { noteChange() }
        return slots
    }

    // MARK: Attributes

    /// Reads text.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> String? {
        guard let slots = slots(layout) else { return value(forKey: "\(key)") as? String }
        if case .string(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes text.
    @inlinable
    public final func writeSlot(_ value: String?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .string($0) } ?? .null
    }

    @inlinable
    @inline(__always)
    final func integer(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Int64 {
        guard let slots = slots(layout) else { return (value(forKey: "\(key)") as? NSNumber)?.int64Value ?? 0 }
        if case .integer(let value) = slots[slot] { return value }
        return 0
    }

    @inlinable
    @inline(__always)
    final func write(_ value: Int64, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .integer(value)
    }

    /// Reads a whole number; 0 for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Int16 {
        Int16(truncatingIfNeeded: integer(slot, layout, key))
    }

    /// Writes a whole number.
    @inlinable
    public final func writeSlot(_ value: Int16, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        write(Int64(value), slot, layout, key)
    }

    /// Reads a whole number; 0 for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Int32 {
        Int32(truncatingIfNeeded: integer(slot, layout, key))
    }

    /// Writes a whole number.
    @inlinable
    public final func writeSlot(_ value: Int32, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        write(Int64(value), slot, layout, key)
    }

    /// Reads a whole number; 0 for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Int64 {
        integer(slot, layout, key)
    }

    /// Writes a whole number.
    @inlinable
    public final func writeSlot(_ value: Int64, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        write(value, slot, layout, key)
    }

    /// Reads a truth value; false for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Bool {
        guard let slots = slots(layout) else { return (value(forKey: "\(key)") as? NSNumber)?.boolValue ?? false }
        if case .boolean(let value) = slots[slot] { return value }
        return false
    }

    /// Writes a truth value.
    @inlinable
    public final func writeSlot(_ value: Bool, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .boolean(value)
    }

    /// Reads a number, or a date as seconds since 2001; 0 for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Double {
        guard let slots = slots(layout) else { return real(value(forKey: "\(key)")) }
        switch slots[slot] {
        case .double(let value): return value
        case .date(let value): return value.timeIntervalSinceReferenceDate
        default: return 0
        }
    }

    @usableFromInline
    final func real(_ value: Any?) -> Double {
        (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue ?? 0
    }

    /// Writes a number, or a date as seconds since 2001.
    public final func writeSlot(_ value: Double, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else {
            let isDate = self.layout.index(of: "\(key)").map {
                self.layout.slots[$0].kind == .attribute(.dateAttributeType)
            }
            return setValue(
                isDate == true ? Date(timeIntervalSinceReferenceDate: value) : NSNumber(value: value), forKey: "\(key)")
        }
        if self.layout.slots[slot].kind == .attribute(.dateAttributeType) {
            slots[slot] = .date(Date(timeIntervalSinceReferenceDate: value))
        } else {
            slots[slot] = .double(value)
        }
    }

    /// Reads a number; 0 for none.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Float {
        guard let slots = slots(layout) else { return Float(real(value(forKey: "\(key)"))) }
        if case .float(let value) = slots[slot] { return value }
        return 0
    }

    /// Writes a number.
    @inlinable
    public final func writeSlot(_ value: Float, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .float(value)
    }

    /// Reads a date.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Date? {
        guard let slots = slots(layout) else { return value(forKey: "\(key)") as? Date }
        if case .date(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes a date.
    @inlinable
    public final func writeSlot(_ value: Date?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .date($0) } ?? .null
    }

    /// Reads bytes.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Data? {
        guard let slots = slots(layout) else { return value(forKey: "\(key)") as? Data }
        if case .data(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes bytes.
    @inlinable
    public final func writeSlot(_ value: Data?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .data($0) } ?? .null
    }

    /// Reads a UUID.
    @inlinable
    public final func readSlot(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> UUID? {
        guard let slots = slots(layout) else { return value(forKey: "\(key)") as? UUID }
        if case .uuid(let value) = slots[slot] { return value }
        return nil
    }

    /// Writes a UUID.
    @inlinable
    public final func writeSlot(_ value: UUID?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(layout) else { return setValue(value, forKey: "\(key)") }
        slots[slot] = value.map { .uuid($0) } ?? .null
    }

    /// Reads a value of any other type; nil when it is of another.
    public final func readSlot<Value>(_ slot: Int, _ layout: UInt64, _ key: StaticString) -> Value? {
        value(forKey: "\(key)") as? Value
    }

    /// Writes a value of any other type.
    public final func writeSlot<Value>(_ value: Value?, _ slot: Int, _ layout: UInt64, _ key: StaticString) {
        setValue(value, forKey: "\(key)")
    }
}
