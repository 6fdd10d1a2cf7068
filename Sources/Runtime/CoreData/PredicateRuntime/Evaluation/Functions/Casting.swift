internal import Foundation
internal import RuntimeSupport

/// `CAST(value, "type")`.
enum Casting {
    /// Returns the value as another type: `NSDate` and `NSNumber` are converted by the seconds since 2001, which is how
    /// Apple prints a date in a predicate; strings are parsed and formatted. For an unknown type, which may be an
    /// entity's name, returns objects unchanged and traps on other values.
    static func cast(_ value: PredicateValue, to type: PredicateValue) -> PredicateValue {
        guard case .string(let name) = type else { unknown(value, type.textForMessage) }
        if value.isNull { return .null }
        switch (name, value) {
        case ("NSDate", .date), ("NSString", .string), ("NSUUID", .uuid), ("NSDecimalNumber", .decimal),
            (_, .slotted), (_, .readable):
            return value
        case ("NSDate", .string(let text)): return number(text).map { .date($0.doubleNumber) } ?? .null
        case ("NSDate", _) where value.isNumber: return .date(value.doubleNumber)
        case ("NSNumber", .date(let seconds)): return .real(seconds)
        case ("NSNumber", .string(let text)): return number(text) ?? .null
        case ("NSNumber", _) where value.isNumber: return value
        case ("NSDecimalNumber", .string(let text)): return .decimal(NSDecimalNumber(string: text))
        case ("NSDecimalNumber", _) where value.isNumber: return .decimal(value.decimalNumber)
        case ("NSString", _): return .string(text(of: value))
        case ("NSUUID", .string(let text)): return UUID(uuidString: text).map { .uuid($0) } ?? .null
        case ("NSURL", .string(let text)): return PredicateValue(any: URL(string: text))
        default: unknown(value, name)
        }
    }

    private static func number(_ text: String) -> PredicateValue? {
        Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
    }

    private static func text(of value: PredicateValue) -> String {
        if let number = value.any as? NSNumber { return number.stringValue }
        return value.any.map { String(describing: $0) } ?? ""
    }

    private static func unknown(_ value: PredicateValue, _ type: String) -> Never {
        misuse("NSInvalidArgumentException", "Don't know how to cast \(value.textForMessage) to \(type)")
    }
}
