internal import Foundation

/// The value of one property of an object, without the boxing of `Any`.
@usableFromInline
package enum SlotValue {
    /// No value; for a to-many relationship, one that has not been looked up yet.
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case float(Float)
    case string(String)
    case date(Date)
    case uuid(UUID)
    case data(Data)
    /// A decimal number, or an instance of a class in a transformable attribute.
    case object(AnyObject)
    /// Any other Swift value.
    case boxed(ValueBox)
    /// The value of an attribute as its store keeps it.
    case stored(StoredBytes)
    /// The ID of the object at the other end of a to-one relationship, not resolved yet.
    case reference(NSManagedObjectID)
    /// The object at the other end of a to-one relationship.
    case managed(ManagedReference)
    /// The objects at the other end of a to-many relationship.
    case many(MembersReference)

    /// Whether the slot is `nil`.
    var isNull: Bool { if case .null = self { true } else { false } }
}

/// An object of a context, which only `Objects` can open (`SlotValue+Objects.swift`).
@usableFromInline
package struct ManagedReference {
    let base: AnyObject
}

/// The members of a to-many relationship, which only `Objects` can open (`SlotValue+Objects.swift`).
@usableFromInline
package struct MembersReference {
    let base: AnyObject
}

/// A Swift value without a dedicated case.
@usableFromInline
package final class ValueBox {
    package let value: Any

    package init(_ value: Any) {
        self.value = value
    }
}

extension SlotValue {
    /// The value as in key-value coding, with numbers as `NSNumber`, which casts to any Swift number type as on Apple's
    /// platforms. Not for relationships.
    package var anyValue: Any? {
        switch self {
        case .null, .reference, .managed, .many: nil
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .float(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .data(let value): value
        case .object(let value): value
        case .boxed(let box): box.value
        case .stored(let stored): stored.current.anyValue
        }
    }

    /// The approximate number of bytes that the value takes beside its slot.
    package var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .stored(let stored): stored.bytes.count
        default: 0
        }
    }

    /// Returns whether two values have the same bytes, and so are equal. Equal values may differ in bytes.
    @inline(__always)
    static func areIdentical(_ one: UnsafePointer<SlotValue>, _ other: UnsafePointer<SlotValue>) -> Bool {
        memcmp(one, other, MemoryLayout<SlotValue>.size) == 0
    }

    /// Returns whether two values of rows are equal. A managed object equals nothing here; `isEqual(_:)` compares it by
    /// its ID.
    package func isEqualInRow(_ other: SlotValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.float(let a), .float(let b)): a == b || (a.isNaN && b.isNaN)
        // Canonical equivalence would miss a change of normalization form.
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.object(let a), .object(let b)): a === b || (a as? NSObject)?.isEqual(b) == true
        case (.boxed(let a), .boxed(let b)): a === b || Self.areEqual(a.value, b.value)
        case (.stored(let a), .stored(let b)): a.isEqual(b)
        case (.stored(let a), _): a.isEqual(other)
        case (_, .stored(let b)): b.isEqual(self)
        case (.reference(let a), .reference(let b)): a == b
        default: false
        }
    }

    /// Returns whether two values of a class without a case are equal.
    static func areEqual(_ one: Any, _ other: Any) -> Bool {
        guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
        return one == other
    }
}
