package import Foundation

/// A value during the evaluation of a predicate or expression: like `Any?`, but classified by what operators do with
/// it, so that comparing two values is a switch rather than a dynamic cast, and numbers, dates and strings are not
/// boxed.
package enum PredicateValue {
    /// `nil` or `NSNull`.
    case null
    /// A Boolean, which operators treat as the number 0 or 1.
    case boolean(Bool)
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    case decimal(NSDecimalNumber)
    /// A date, in seconds since 2001.
    case date(Double)
    /// Text.
    case string(String)
    case uuid(UUID)
    /// Bytes.
    case data(Data)
    /// An array or a set.
    case collection(PredicateCollection)
    case dictionary(PredicateDictionary)
    /// An object that is read by keys.
    case readable(any KeyValueReadable)
    /// An object that is read by slot.
    case slotted(any SlotReadable)
    /// Anything else.
    case other(OtherValue)
}

/// A value that operators can only compare for equality.
package final class OtherValue {
    package let value: Any

    init(_ value: Any) {
        self.value = value
    }
}

extension PredicateValue {
    /// Whether this is `nil`.
    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Whether this is an object that is read by slot.
    var isSlotted: Bool {
        if case .slotted = self { return true }
        return false
    }

    /// Whether this is a number or a Boolean.
    var isNumber: Bool {
        switch self {
        case .boolean, .integer, .real, .decimal: true
        default: false
        }
    }

    /// The text of the value for messages.
    var textForMessage: String {
        switch self {
        case .null: "nil"
        case .string(let text): "\"\(text)\""
        default: any.map { String(describing: $0) } ?? "nil"
        }
    }
}

// Initializers for the kinds that other modules may create.
extension PredicateValue {
    /// Creates a value from a Boolean, or `nil`.
    package init(_ value: Bool?) {
        self = value.map { .boolean($0) } ?? .null
    }

    /// Creates a value from an integer, or `nil`.
    package init(_ value: Int64?) {
        self = value.map { .integer($0) } ?? .null
    }

    /// Creates a value from a floating-point number, or `nil`.
    package init(_ value: Double?) {
        self = value.map { .real($0) } ?? .null
    }

    /// Creates a value from a string, or `nil`.
    package init(_ value: String?) {
        self = value.map { .string($0) } ?? .null
    }

    /// Creates a value from a date, or `nil`.
    package init(_ value: Date?) {
        self = value.map { .date($0.timeIntervalSinceReferenceDate) } ?? .null
    }
}
