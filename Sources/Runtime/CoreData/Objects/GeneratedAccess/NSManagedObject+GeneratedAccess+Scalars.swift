public import Foundation

/// Access to scalars for the code that `modelc generate --flavor portable` writes. `GeneratedAccess.swift` describes
/// slots, fingerprints and inlining.
extension NSManagedObject {
    // MARK: Integers

    @inlinable
    @inline(__always)
    final func integer(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int64 {
        guard let slots = readySlots(fingerprint) else { return readInteger(slot, fingerprint, key) }
        if case .integer(let value) = slots[slot] { return value }
        return 0
    }

    @usableFromInline
    @inline(never)
    final func readInteger(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int64 {
        guard let slots = slots(fingerprint) else { return (value(forKey: "\(key)") as? NSNumber)?.int64Value ?? 0 }
        if case .integer(let value) = slots[slot] { return value }
        return 0
    }

    @inlinable
    @inline(__always)
    final func write(_ value: Int64, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeInteger(value, slot, fingerprint, key) }
        slots[slot] = .integer(value)
    }

    @usableFromInline
    @inline(never)
    final func writeInteger(_ value: Int64, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .integer(value)
    }

    /// Reads an integer; 0 for none.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int16 {
        Int16(truncatingIfNeeded: integer(slot, fingerprint, key))
    }

    /// Writes an integer.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Int16, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        write(Int64(value), slot, fingerprint, key)
    }

    /// Reads an integer; 0 for none.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int32 {
        Int32(truncatingIfNeeded: integer(slot, fingerprint, key))
    }

    /// Writes an integer.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Int32, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        write(Int64(value), slot, fingerprint, key)
    }

    /// Reads an integer; 0 for none.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Int64 {
        integer(slot, fingerprint, key)
    }

    /// Writes an integer.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Int64, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        write(value, slot, fingerprint, key)
    }

    // MARK: Booleans

    /// Reads a Boolean; `false` for none.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Bool {
        guard let slots = readySlots(fingerprint) else { return readBoolean(slot, fingerprint, key) }
        if case .boolean(let value) = slots[slot] { return value }
        return false
    }

    @usableFromInline
    @inline(never)
    final func readBoolean(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Bool {
        guard let slots = slots(fingerprint) else { return (value(forKey: "\(key)") as? NSNumber)?.boolValue ?? false }
        if case .boolean(let value) = slots[slot] { return value }
        return false
    }

    /// Writes a Boolean.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Bool, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeBoolean(value, slot, fingerprint, key) }
        slots[slot] = .boolean(value)
    }

    @usableFromInline
    @inline(never)
    final func writeBoolean(_ value: Bool, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .boolean(value)
    }

    // MARK: Floating-point numbers

    /// Reads a number, or a date as seconds since 2001; 0 for none.
    @inlinable
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Double {
        guard let slots = readySlots(fingerprint) else { return readDouble(slot, fingerprint, key) }
        switch slots[slot] {
        case .double(let value): return value
        case .date(let value): return value.timeIntervalSinceReferenceDate
        default: return 0
        }
    }

    @usableFromInline
    @inline(never)
    final func readDouble(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Double {
        guard let slots = slots(fingerprint) else {
            let value = value(forKey: "\(key)")
            return (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue ?? 0
        }
        switch slots[slot] {
        case .double(let value): return value
        case .date(let value): return value.timeIntervalSinceReferenceDate
        default: return 0
        }
    }

    /// Writes a number, or a date as seconds since 2001.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Double, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        // A slot that holds a number takes a number; any other may be a date's.
        guard let slots = changeableSlots(fingerprint), case .double = slots[slot] else {
            return writeDouble(value, slot, fingerprint, key)
        }
        slots[slot] = .double(value)
    }

    @usableFromInline
    @inline(never)
    final func writeDouble(_ value: Double, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else {
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
    @inline(__always)
    public final func readSlot(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Float {
        guard let slots = readySlots(fingerprint) else { return readFloat(slot, fingerprint, key) }
        if case .float(let value) = slots[slot] { return value }
        return 0
    }

    @usableFromInline
    @inline(never)
    final func readFloat(_ slot: Int, _ fingerprint: UInt64, _ key: StaticString) -> Float {
        guard let slots = slots(fingerprint) else { return (value(forKey: "\(key)") as? NSNumber)?.floatValue ?? 0 }
        if case .float(let value) = slots[slot] { return value }
        return 0
    }

    /// Writes a number.
    @inlinable
    @inline(__always)
    public final func writeSlot(_ value: Float, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = changeableSlots(fingerprint) else { return writeFloat(value, slot, fingerprint, key) }
        slots[slot] = .float(value)
    }

    @usableFromInline
    @inline(never)
    final func writeFloat(_ value: Float, _ slot: Int, _ fingerprint: UInt64, _ key: StaticString) {
        guard let slots = slotsForChange(fingerprint) else { return setValue(NSNumber(value: value), forKey: "\(key)") }
        slots[slot] = .float(value)
    }
}
