internal import Foundation

/// An optional of any type, for values whose static type is `Any`.
package protocol OptionalValue {
    /// The value of the optional, which may be an optional itself.
    var anyValue: Any? { get }
    /// The wrapped type of the optional.
    static var wrappedType: Any.Type { get }
    /// The optional without a value.
    static var noValue: Any { get }
}

extension Optional: OptionalValue {
    /// The wrapped type.
    @inlinable package static var wrappedType: Any.Type { Wrapped.self }
    /// The optional without a value.
    @inlinable package static var noValue: Any { Self.none as Any }

    /// The value.
    @inlinable package var anyValue: Any? { map { $0 as Any } }
}

/// Removes optionals from values whose static type is `Any`.
package enum Unwrapping {
    /// Returns the value within any number of optionals, or `nil` if there is none or it is `NSNull`.
    @inlinable
    package static func value(_ value: Any?) -> Any? {
        guard let value else { return nil }
        // Comparing types is faster than the casts below.
        if isPlain(type(of: value)) { return value }
        if value is NSNull { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return Self.value(optional.anyValue)
    }

    /// Returns the value within any number of optionals, which may be `NSNull`, or `nil` if there is none.
    package static func valueOrNull(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return valueOrNull(optional.anyValue)
    }

    @inlinable
    static func isPlain(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
            || type == Data.self || type == UUID.self || type == Int64.self || type == Int32.self || type == Int16.self
            || type == Float.self || type == Decimal.self || type == URL.self
    }
}
