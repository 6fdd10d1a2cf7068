internal import Foundation
internal import RuntimeSupport

final class KeySortDescriptor: NSSortDescriptor {
    let keyText: String
    /// The method that determines the order, unless `order` is set.
    let selectorName: Selector
    /// The caller's comparator, if any.
    let order: Comparator?

    init(key: String, isAscending: Bool, selector: Selector = .compare, order: Comparator? = nil) {
        keyText = key
        selectorName = selector
        self.order = order
        super.init(keyPath: \NSObject.hash, ascending: isAscending)
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let (one, other) = (value(object1), value(object2))
        let result: ComparisonResult =
            if let order {
                order(one ?? NSNull(), other ?? NSNull())
            } else {
                SelectorOrder.compare(one, other: other, selector: selectorName)
            }
        guard !ascending else { return result }
        switch result {
        case .orderedAscending: return .orderedDescending
        case .orderedDescending: return .orderedAscending
        case .orderedSame: return .orderedSame
        }
    }

    /// The comparator, unless it is `compare:`. It receives `NSNull` for `nil`.
    var valueOrder: Comparator? {
        if let order { return order }
        guard selectorName != .compare else { return nil }
        return { [selectorName] in SelectorOrder.compare($0, other: $1, selector: selectorName) }
    }

    private func value(_ object: Any) -> Any? {
        if keyText == "self" { return object }
        if let object = object as? any KeyPathReadable { return object.sortValue(forKeyPath: keyText) }
        return KeyPathValues.value(of: object, keyText)
    }

    override var comparator: Comparator {
        valueOrder ?? { one, other in AttributeOrder.compare(one, other) }
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: keyText, isAscending: !ascending, selector: selectorName, order: order)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both sort the same way. Functions cannot be compared, so a descriptor with a comparator only
    /// equals itself.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        if self === other { return true }
        return keyText == other.keyText && ascending == other.ascending && selectorName == other.selectorName
            && order == nil && other.order == nil
    }

    override var hash: Int { keyText.hashValue }

    override var description: String {
        let direction = ascending ? "ascending" : "descending"
        return "(\(keyText), \(direction), \(order == nil ? "\(selectorName)" : "block"))"
    }

    override var classForKeyedArchiver: AnyClass? { NSSortDescriptor.self }
}

/// The orders defined by comparison methods of values.
enum SelectorOrder {
    /// Compares two values. A missing value comes first. Traps if a value does not support the method.
    static func compare(_ one: Any?, other: Any?, selector: Selector) -> ComparisonResult {
        if selector == .compare { return AttributeOrder.compare(one, other) }
        let (one, other) = (Unwrapping.value(one), Unwrapping.value(other))
        guard let one else { return other == nil ? .orderedSame : .orderedAscending }
        guard let other else { return .orderedDescending }
        if let one = one as? String, let other = other as? String,
            let order = order(one, other: other, selector: selector)
        {
            return order
        }
        let result = MethodCall.call(
            selector.description, of: PredicateValue(any: one), [PredicateValue(any: other)])
        return ComparisonResult(rawValue: Int(result.wholeNumber.signum())) ?? .orderedSame
    }

    private static func order(_ one: String, other: String, selector: Selector) -> ComparisonResult? {
        switch selector {
        case .caseInsensitiveCompare: one.caseInsensitiveCompare(other)
        case .localizedCompare: one.localizedCompare(other)
        case .localizedCaseInsensitiveCompare: one.localizedCaseInsensitiveCompare(other)
        case .localizedStandardCompare: one.localizedStandardCompare(other)
        default: nil
        }
    }
}
