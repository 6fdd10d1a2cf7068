internal import Foundation
internal import RuntimeSupport

extension PredicateValue {
    /// Returns the order of two values that `compare:` has, ignoring the locale of strings. Returns `nil` if either is
    /// `nil`: Apple documents that a comparison does not match `nil` with any value.
    ///
    /// Traps, where Apple's framework raises an exception, if the values have no order.
    func order(_ other: PredicateValue, _ strings: StringComparison = .literal) -> ValueOrder? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return ValueOrder(left, right)
        case (.date(let left), .date(let right)): return ValueOrder(left, right)
        case (.string(let left), .string(let right)): return strings.order(left, right)
        case (.null, _), (_, .null): return nil
        default:
            if let order = numberOrder(other) ?? rareOrder(other) { return order }
            guard case (.other(let left), .other(let right)) = (self, other),
                let left = left.value as? any PredicateOrdered, let right = right.value as? any PredicateOrdered
            else {
                misuse(
                    "NSInvalidArgumentException",
                    "Can't compare \(textForMessage) with \(other.textForMessage): they have no order")
            }
            return left.predicateOrder(right)
        }
    }

    /// Returns the order of kinds for which Foundation has no `compare:` or only a recent one, but which SQLite orders
    /// by their bytes.
    private func rareOrder(_ other: PredicateValue) -> ValueOrder? {
        switch (self, other) {
        case (.uuid(let left), .uuid(let right)): return ValueOrder(left.uuidString, right.uuidString)
        case (.data(let left), .data(let right)):
            return left.lexicographicallyPrecedes(right) ? .ascending : left == right ? .same : .descending
        case (.other(let left), .other(let right)):
            guard let left = left.value as? URL, let right = right.value as? URL else { return nil }
            return ValueOrder(left.absoluteString, right.absoluteString)
        // A store represents a date by its seconds, and compares these with a number.
        case (.date(let left), _) where other.isNumber: return PredicateValue.real(left).numberOrder(other)
        case (_, .date(let right)) where isNumber: return numberOrder(.real(right))
        default: return nil
        }
    }
}
