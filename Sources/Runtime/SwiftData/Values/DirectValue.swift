internal import CoreData
public import Foundation

/// The value of a model that is in no context.
enum DetachedValue {
    /// The property was not set.
    case unset
    /// Nil.
    case null
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case date(Date)
    case uuid(UUID)
    /// A value of the property's type.
    case other(Any)

    /// The value as in key-value coding, for a type that is held without a box.
    var storedObject: Any? {
        switch self {
        case .unset, .null: nil
        case .string(let value): value
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .boolean(let value): NSNumber(value: value)
        case .date(let value): value
        case .uuid(let value): value
        case .other(let value): value
        }
    }
}

/// A type of common attributes, whose accessors read and write the slots of an object without the description of the
/// property.
///
/// Used by the code of `@Model`, not meant to be adopted.
public protocol _DirectValue {
    /// Returns the value in a slot; `nil` if it is null.
    static func _read(_ core: _ModelCore, _ slot: Int) -> Self?
    static func _write(_ value: Self?, to core: _ModelCore, at slot: Int)
    /// Keeps the value of a model that is in no context.
    static func _hold(_ value: Self?, in core: _ModelCore, at number: Int)
}

extension _ModelCore {
    /// The object of a model with direct slots.
    fileprivate var direct: ModelObject { object.unsafelyUnwrapped }

    func clear(_ slot: Int) { direct.writeSlot(nil as String?, slot, fingerprint, "") }
}

extension String: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> String? {
        core.direct.readSlot(slot, core.fingerprint, "")
    }
    /// Sets a slot.
    public static func _write(_ value: String?, to core: _ModelCore, at slot: Int) {
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: String?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .string($0) } ?? .null)
    }
}

extension Date: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> Date? {
        core.direct.readSlot(slot, core.fingerprint, "")
    }
    /// Sets a slot.
    public static func _write(_ value: Date?, to core: _ModelCore, at slot: Int) {
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: Date?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .date($0) } ?? .null)
    }
}

extension UUID: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> UUID? {
        core.direct.readSlot(slot, core.fingerprint, "")
    }
    /// Sets a slot.
    public static func _write(_ value: UUID?, to core: _ModelCore, at slot: Int) {
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: UUID?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .uuid($0) } ?? .null)
    }
}

// Null reads as zero here, so that zeros are read again.

extension Bool: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> Bool? {
        if core.direct.readSlot(slot, core.fingerprint, "") as Bool { return true }
        return core.direct.boolean(ofSlot: slot)
    }
    /// Sets a slot.
    public static func _write(_ value: Bool?, to core: _ModelCore, at slot: Int) {
        guard let value else { return core.clear(slot) }
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: Bool?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .boolean($0) } ?? .null)
    }
}

extension Double: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> Double? {
        let value: Double = core.direct.readSlot(slot, core.fingerprint, "")
        return value == 0 ? core.direct.double(ofSlot: slot) : value
    }
    /// Sets a slot.
    public static func _write(_ value: Double?, to core: _ModelCore, at slot: Int) {
        guard let value else { return core.clear(slot) }
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: Double?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .double($0) } ?? .null)
    }
}

extension Int64: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> Int64? {
        let value: Int64 = core.direct.readSlot(slot, core.fingerprint, "")
        return value == 0 ? core.direct.integer(ofSlot: slot) : value
    }
    /// Sets a slot.
    public static func _write(_ value: Int64?, to core: _ModelCore, at slot: Int) {
        guard let value else { return core.clear(slot) }
        core.direct.writeSlot(value, slot, core.fingerprint, "")
    }
    /// Keeps a value.
    public static func _hold(_ value: Int64?, in core: _ModelCore, at number: Int) {
        core.keep(number, value.map { .integer($0) } ?? .null)
    }
}

extension Int: _DirectValue {
    /// Returns the value in a slot.
    public static func _read(_ core: _ModelCore, _ slot: Int) -> Int? {
        Int64._read(core, slot).map { Int(truncatingIfNeeded: $0) }
    }
    /// Sets a slot.
    public static func _write(_ value: Int?, to core: _ModelCore, at slot: Int) {
        Int64._write(value.map { Int64($0) }, to: core, at: slot)
    }
    /// Keeps a value.
    public static func _hold(_ value: Int?, in core: _ModelCore, at number: Int) {
        Int64._hold(value.map { Int64($0) }, in: core, at: number)
    }
}
