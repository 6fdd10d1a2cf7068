internal import Foundation

/// Compares values of properties whose types need not be Equatable.
enum SampleComparison {
    /// Returns whether two values are the same; `false` for values that cannot be compared.
    static func isSame(_ lhs: Any?, _ rhs: Any?) -> Bool {
        switch (lhs.flatMap(unwrapped), rhs.flatMap(unwrapped)) {
        case (nil, nil): true
        case (let left?, let right?): isEqual(left, right)
        default: false
        }
    }

    private static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalProperty else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }

    private static func isEqual(_ lhs: Any, _ rhs: Any) -> Bool {
        func isEqual<E: Equatable>(_ lhs: E) -> Bool { (rhs as? E).map { $0 == lhs } ?? false }
        if let lhs = lhs as? any Equatable { return isEqual(lhs) }
        guard type(of: lhs) == type(of: rhs) else { return false }
        if type(of: lhs) is AnyClass { return lhs as AnyObject === rhs as AnyObject }
        guard let left = encoded(lhs), let right = encoded(rhs) else { return false }
        return left == right
    }

    private static func encoded(_ value: Any) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (value as? any Encodable).flatMap { try? encoder.encode($0) }
    }
}
