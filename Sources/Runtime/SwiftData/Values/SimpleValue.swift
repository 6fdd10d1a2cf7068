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
    /// Values that differ so much that a computed property hardly returns all of them unchanged: one for each round of
    /// a `PropertyRecorder`.
    static var samples: [Self] { get }
    /// The value that stores have as null; `nil` if there is none.
    static var notANumber: Self? { get }
}

extension SimpleValue {
    static var notANumber: Self? { nil }

    /// Returns the value for a round of a `PropertyRecorder`.
    static func sample(_ round: Int) -> Self { samples[round % samples.count] }

    static func read(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.value(ofSlot: slot).flatMap(Self.init(storedObject:))
    }

    static func write(_ value: Self?, object: NSManagedObject, slot: Int) {
        object.setValue(value?.storedObject, ofSlot: slot)
    }
}

extension String: SimpleValue {
    static var samples: [String] {
        ["aZ ß 7", " \n  Qa  b-É\u{301}7. \t", "", String(repeating: "Long tail, ", count: 400)]
    }
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
    static var samples: [Date] {
        [7919.5, -4_000_000_123.25, 0.1, 4_000_000_123.75].map(Date.init(timeIntervalSinceReferenceDate:))
    }
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
    static var samples: [UUID] {
        [0, 7, 255, 128].map { (byte: UInt8) in
            UUID(uuid: (byte, byte, 0, 0, 0, 0, byte, 0, byte, 0, 0, 0, 0, 0, 0, byte))
        }
    }
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
    static var samples: [Data] { [Data([7, 9, 1]), Data(), Data([0]), Data(0...255)] }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? Data else { return nil }
        self = value
    }
}

extension URL: SimpleValue {
    static var samples: [URL] {
        [
            URL(fileURLWithPath: "/aZ/7"), URL(string: "HTTP://Example.com/a/../b?c=d#e"), URL(string: "x"),
            URL(fileURLWithPath: "/aZ/7/", isDirectory: true),
        ].compactMap { $0 }
    }
    var storedObject: Any { self }
    init?(storedObject: Any) {
        guard let value = storedObject as? URL else { return nil }
        self = value
    }
}

extension Decimal: SimpleValue {
    static var samples: [Decimal] { [7919, Decimal(string: "-0.0123456789") ?? -1, 0, 1_000_000_000_000_007] }
    static var notANumber: Decimal? { .nan }
    var storedObject: Any { NSDecimalNumber(decimal: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.decimalValue
    }
}

extension Bool: SimpleValue {
    static var samples: [Bool] { [true, false, true, false] }
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
    static var samples: [Double] { [7919.5, -0.0123456789, 0, 1_000_000_000_000_007.5] }
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
    static var samples: [Float] { [7919.5, -0.0123456789, 0, 1_000_000_064] }
    static var notANumber: Float? { .nan }
    var storedObject: Any { NSNumber(value: self) }
    init?(storedObject: Any) {
        guard let value = storedObject as? NSNumber else { return nil }
        self = value.floatValue
    }
}

// The column is single precision, as Apple's, so that the value is rounded when it is stored.
extension CGFloat: SimpleValue {
    static var samples: [CGFloat] { [7919.5, -0.0123456789, 0, 1_000_000_000_000_007.5] }
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
    static var samples: [Self] { [113, Self(truncatingIfNeeded: -101), 0, Self(clamping: 5_000_011)] }
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
