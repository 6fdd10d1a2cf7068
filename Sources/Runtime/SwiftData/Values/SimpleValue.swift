internal import CoreData
internal import Foundation

/// An optional type.
protocol OptionalProperty {
    static var wrappedType: any Any.Type { get }
    /// The value in the optional.
    var wrapped: Any? { get }
    static var none: Self { get }
}

extension Optional: OptionalProperty {
    static var wrappedType: any Any.Type { Wrapped.self }
    var wrapped: Any? { map { $0 as Any } }
}

/// A type whose values one column holds (`SimpleTypes` has the column types).
protocol SimpleValue: Codable, Hashable, Sendable {
    /// The value as in key-value coding.
    var storedObject: Any { get }
    /// Creates a value from one of key-value coding.
    init?(storedObject: Any)
    static func read(_ object: NSManagedObject, _ slot: Int) -> Self?
    static func write(_ value: Self?, object: NSManagedObject, slot: Int)
    /// A value that is unlikely to be that of a computed property.
    static var sample: Self { get }
    /// The value that stores have as null; `nil` if there is none.
    static var notANumber: Self? { get }
}

extension SimpleValue {
    static var notANumber: Self? { nil }

    static func read(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.value(ofSlot: slot).flatMap(Self.init(storedObject:))
    }

    static func write(_ value: Self?, object: NSManagedObject, slot: Int) {
        object.setValue(value?.storedObject, ofSlot: slot)
    }
}

extension String: SimpleValue {
    static var sample: String { "aZ ß 7" }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? String else { return nil }
        self = value
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> String? {
        object.readSlot(slot, object.slotFingerprint, "")
    }
    static func write(_ value: String?, object: NSManagedObject, slot: Int) {
        object.writeSlot(value, slot, object.slotFingerprint, "")
    }
}

extension Date: SimpleValue {
    static var sample: Date { Date(timeIntervalSinceReferenceDate: 7919.5) }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? Date else { return nil }
        self = value
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> Date? {
        object.readSlot(slot, object.slotFingerprint, "")
    }
    static func write(_ value: Date?, object: NSManagedObject, slot: Int) {
        object.writeSlot(value, slot, object.slotFingerprint, "")
    }
}

extension UUID: SimpleValue {
    static var sample: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? UUID else { return nil }
        self = value
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> UUID? {
        object.readSlot(slot, object.slotFingerprint, "")
    }
    static func write(_ value: UUID?, object: NSManagedObject, slot: Int) {
        object.writeSlot(value, slot, object.slotFingerprint, "")
    }
}

extension Data: SimpleValue {
    static var sample: Data { Data([7, 9, 1]) }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? Data else { return nil }
        self = value
    }
}

extension URL: SimpleValue {
    static var sample: URL { URL(fileURLWithPath: "/aZ/7") }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? URL else { return nil }
        self = value
    }
}

extension Decimal: SimpleValue {
    static var sample: Decimal { 7919 }
    static var notANumber: Decimal? { .nan }
    var storedObject: Any { NSDecimalNumber(decimal: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.decimalValue
    }
}

extension Bool: SimpleValue {
    static var sample: Bool { true }
    var storedObject: Any { NSNumber(value: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.boolValue
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> Bool? { object.boolean(ofSlot: slot) }
    static func write(_ value: Bool?, object: NSManagedObject, slot: Int) {
        guard let value else { return object.setValue(nil, ofSlot: slot) }
        object.writeSlot(value, slot, object.slotFingerprint, "")
    }
}

extension Double: SimpleValue {
    static var sample: Double { 7919.5 }
    static var notANumber: Double? { .nan }
    var storedObject: Any { NSNumber(value: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.doubleValue
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> Double? { object.double(ofSlot: slot) }
    static func write(_ value: Double?, object: NSManagedObject, slot: Int) {
        guard let value else { return object.setValue(nil, ofSlot: slot) }
        object.writeSlot(value, slot, object.slotFingerprint, "")
    }
}

extension Float: SimpleValue {
    static var sample: Float { 7919.5 }
    static var notANumber: Float? { .nan }
    var storedObject: Any { NSNumber(value: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.floatValue
    }
}

// The column is single precision, as Apple's, so that the value is rounded when it is stored.
extension CGFloat: SimpleValue {
    static var sample: CGFloat { 7919.5 }
    static var notANumber: CGFloat? { .nan }
    var storedObject: Any { NSNumber(value: Float(self)) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = CGFloat(value.doubleValue)
    }
}

/// An integer type. Values are stored as they are, also unsigned ones that exceed the signed type of their attribute's
/// width, so that stores compare them correctly. Unsigned values of 64 bits are stored as the signed number with the
/// same bits.
protocol SimpleInteger: SimpleValue, FixedWidthInteger {}

extension SimpleInteger {
    static var sample: Self { 113 }
    var storedObject: Any { NSNumber(value: Int64(truncatingIfNeeded: self)) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self.init(truncatingIfNeeded: value.int64Value)
    }
    static func read(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.integer(ofSlot: slot).map { Self(truncatingIfNeeded: $0) }
    }
    static func write(_ value: Self?, object: NSManagedObject, slot: Int) {
        guard let value else { return object.setValue(nil, ofSlot: slot) }
        object.writeSlot(Int64(truncatingIfNeeded: value), slot, object.slotFingerprint, "")
    }
}

extension Int: SimpleInteger {}
extension Int8: SimpleInteger {}
extension Int16: SimpleInteger {}
extension Int32: SimpleInteger {}
extension Int64: SimpleInteger {}
extension UInt: SimpleInteger {}
extension UInt8: SimpleInteger {}
extension UInt16: SimpleInteger {}
extension UInt32: SimpleInteger {}
extension UInt64: SimpleInteger {}
