internal import Foundation

extension PredicateValue {
    /// Returns how two values are ordered, as `compare:` says, strings without regard to the locale. nil if one of them
    /// is nil: Apple's documentation says that a comparison does not match nil with any value.
    ///
    /// Values that have no order trap, as they raise an exception on Apple's platforms.
    func order(_ other: PredicateValue, _ strings: StringComparison = .literal) -> ValueOrder? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return ValueOrder(left, right)
        case (.date(let left), .date(let right)): return ValueOrder(left, right)
        case (.string(let left), .string(let right)): return strings.order(left, right)
        case (.null, _), (_, .null): return nil
        case (.other(let left), .other(let right))
        where left.value is NSPersistentHistoryToken && right.value is NSPersistentHistoryToken:
            return (right.value as? NSPersistentHistoryToken).flatMap {
                (left.value as? NSPersistentHistoryToken)?.order($0)
            }
        default:
            if let order = numberOrder(other) { return order }
            guard let order = rareOrder(other) else {
                misuse(
                    "NSInvalidArgumentException",
                    "Can't compare \(textForMessage) with \(other.textForMessage): they have no order")
            }
            return order
        }
    }

    /// Kinds that Foundation gives no `compare:` or a new one, but that SQLite orders by their bytes.
    private func rareOrder(_ other: PredicateValue) -> ValueOrder? {
        switch (self, other) {
        case (.uuid(let left), .uuid(let right)): return ValueOrder(left.uuidString, right.uuidString)
        case (.data(let left), .data(let right)):
            return left.lexicographicallyPrecedes(right) ? .ascending : left == right ? .same : .descending
        case (.other(let left), .other(let right)):
            guard let left = left.value as? URL, let right = right.value as? URL else { return nil }
            return ValueOrder(left.absoluteString, right.absoluteString)
        // A store keeps a date as its seconds, and compares it with a number so.
        case (.date(let left), _) where other.isNumber: return PredicateValue.real(left).numberOrder(other)
        case (_, .date(let right)) where isNumber: return numberOrder(.real(right))
        default: return nil
        }
    }
}
