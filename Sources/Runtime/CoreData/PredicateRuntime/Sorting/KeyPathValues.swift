internal import Foundation
internal import RuntimeSupport

/// Evaluation of key paths. Collections and their operators, and values other than objects, are the predicate
/// evaluator's.
enum KeyPathValues {
    /// Returns the value at the end of a path.
    static func value(of object: Any?, _ keyPath: String) -> Any? {
        var value = Unwrapping.value(object)
        // Most paths are a single key, which needs no list of keys.
        if !keyPath.isEmpty, !keyPath.utf8.contains(UInt8(ascii: ".")), let readable = value as? any KeyValueReadable {
            return Unwrapping.value(readable.value(forKey: keyPath))
        }
        var keys = keyPath.split(separator: ".").map(String.init)[...]
        // Objects are asked themselves, because classes may override the method.
        while let key = keys.first, let readable = value as? any KeyValueReadable {
            value = Unwrapping.value(readable.value(forKey: key))
            keys.removeFirst()
        }
        guard !keys.isEmpty, let value else { return value }
        return exported(PredicateValue(any: value).value(forKeys: Array(keys)))
    }

    /// Returns a value as key-value coding does: numbers and collections of Foundation's classes.
    private static func exported(_ value: PredicateValue) -> Any? {
        switch value {
        case .decimal(let number): return number
        case .collection(let collection) where collection.source == nil:
            let values = collection.elements.map { exported($0) ?? NSNull() }
            switch collection.kind {
            case .array: return NSArray(array: values)
            case .set: return NSSet(array: values.map(HashableDecimal.replacing))
            case .orderedSet: return NSOrderedSet(array: values.map(HashableDecimal.replacing))
            }
        default: return value.any
        }
    }
}

/// The order of values of one attribute.
enum AttributeOrder {
    /// Compares two values. A missing value comes first.
    static func compare(_ one: Any?, _ other: Any?) -> ComparisonResult {
        let (one, other) = (Unwrapping.value(one), Unwrapping.value(other))
        guard let one else { return other == nil ? .orderedSame : .orderedAscending }
        guard let other else { return .orderedDescending }
        switch (one, other) {
        case (let a as NSNumber, let b as NSNumber): return a.compare(b)
        case (let a as String, let b as String): return order(a, b)
        case (let a as Date, let b as Date): return order(a, b)
        case (let a as UUID, let b as UUID): return order(a.uuidString, b.uuidString)
        case (let a as URL, let b as URL): return order(a.absoluteString, b.absoluteString)
        default:
            misuse(
                "NSInvalidArgumentException",
                "values of the types \(type(of: one)) and \(type(of: other)) have no order")
        }
    }

    /// Compares two strings byte by byte, as a SQLite store does.
    static func order(_ one: String, _ other: String) -> ComparisonResult {
        switch one.withUTF8Bytes({ one in other.withUTF8Bytes { StringComparison.byteOrder(one, $0) } }) {
        case .ascending: .orderedAscending
        case .descending: .orderedDescending
        case .same, .unordered: .orderedSame
        }
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
        one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
    }
}
