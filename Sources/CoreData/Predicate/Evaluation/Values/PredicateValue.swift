package import Foundation

/// A value while a predicate or expression is evaluated: what `Any?` could hold, but sorted by what operators do with it,
/// so that comparing two values is a switch and no dynamic cast, and numbers, dates and strings need no box.
package enum PredicateValue {
    /// nil, `NSNull`.
    case null
    /// A Boolean; a number, 0 or 1, to every operator.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A number in floating point.
    case real(Double)
    /// A decimal number.
    case decimal(NSDecimalNumber)
    /// A date, in seconds since 2001.
    case date(Double)
    /// Text.
    case string(String)
    /// A UUID.
    case uuid(UUID)
    /// Bytes.
    case data(Data)
    /// An array or a set.
    case collection(PredicateCollection)
    /// A dictionary.
    case dictionary(PredicateDictionary)
    /// An object that is read by keys.
    case readable(any KeyValueReadable)
    /// An object that is read by the numbers of its properties.
    case slotted(any SlotReadable)
    /// Anything else.
    case other(OtherValue)
}

/// A value that no operator knows more of than whether it equals another.
package final class OtherValue {
    /// The value.
    package let value: Any

    init(_ value: Any) {
        self.value = value
    }
}

extension PredicateValue {
    /// Whether this is nil.
    var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Whether this is a number or a Boolean.
    var isNumber: Bool {
        switch self {
        case .boolean, .integer, .real, .decimal: true
        default: false
        }
    }

    /// The value in the text of a message.
    var textForMessage: String {
        switch self {
        case .null: "nil"
        case .string(let text): "\"\(text)\""
        default: any.map { String(describing: $0) } ?? "nil"
        }
    }
}

// The kinds that the rest of the module may give away.
extension PredicateValue {
    /// A Boolean, or nil.
    package init(_ value: Bool?) {
        self = value.map { .boolean($0) } ?? .null
    }

    /// An integer, or nil.
    package init(_ value: Int64?) {
        self = value.map { .integer($0) } ?? .null
    }

    /// A number in floating point, or nil.
    package init(_ value: Double?) {
        self = value.map { .real($0) } ?? .null
    }

    /// Text, or nil.
    package init(_ value: String?) {
        self = value.map { .string($0) } ?? .null
    }

    /// A date, or nil.
    package init(_ value: Date?) {
        self = value.map { .date($0.timeIntervalSinceReferenceDate) } ?? .null
    }
}
