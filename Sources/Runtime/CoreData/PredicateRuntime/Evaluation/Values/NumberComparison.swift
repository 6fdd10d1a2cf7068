internal import Foundation

/// The order of two values; `unordered` if one is NaN.
package enum ValueOrder: UInt8 {
    case ascending = 1
    case same = 2
    case descending = 4
    case unordered = 0

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .ascending : left == right ? .same : left > right ? .descending : .unordered
    }

    init(_ result: ComparisonResult) {
        switch result {
        case .orderedAscending: self = .ascending
        case .orderedSame: self = .same
        case .orderedDescending: self = .descending
        }
    }

    /// The order of the same two values when swapped.
    var reversed: ValueOrder {
        switch self {
        case .ascending: .descending
        case .descending: .ascending
        case .same, .unordered: self
        }
    }
}

/// Comparison of numbers of different types by value, without rounding one to the type of the other.
enum NumberComparison {
    /// Returns the order of an integer and a floating-point number, without rounding large integers.
    static func order(_ left: Int64, _ right: Double) -> ValueOrder {
        if right.isNaN { return .unordered }
        if right >= 0x1p63 { return .ascending }
        if right < -0x1p63 { return .descending }
        let whole = right.rounded(.towardZero)
        let order = ValueOrder(left, Int64(whole))
        guard case .same = order else { return order }
        return ValueOrder(whole, right)
    }

    /// Returns the order of a decimal and a floating-point number, which counts as the decimal that it is printed as:
    /// `19.99` equals the price 19.99, although no `Double` is exactly that.
    static func order(_ left: NSDecimalNumber, _ right: Double) -> ValueOrder {
        if right.isNaN || left == .notANumber { return .unordered }
        guard let decimal = NSDecimalNumber(shortest: right) else { return ValueOrder(left.doubleValue, right) }
        return ValueOrder(left.compare(decimal))
    }

    static func order(_ left: NSDecimalNumber, _ right: Int64) -> ValueOrder {
        if left == .notANumber { return .unordered }
        return ValueOrder(left.compare(NSDecimalNumber(value: right)))
    }

    static func order(_ left: NSDecimalNumber, _ right: NSDecimalNumber) -> ValueOrder {
        if left == .notANumber || right == .notANumber { return .unordered }
        return ValueOrder(left.compare(right))
    }
}

extension NSDecimalNumber {
    /// Creates the shortest decimal that identifies a floating-point number, or `nil` if it is too large.
    package convenience init?(shortest number: Double) {
        guard number.isFinite, number.magnitude < 1e100, let decimal = Decimal(string: number.description) else {
            return nil
        }
        self.init(decimal: decimal)
    }
}

extension PredicateValue {
    /// Returns the order of two numbers, or `nil` if one of the values is not a number.
    func numberOrder(_ other: PredicateValue) -> ValueOrder? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): ValueOrder(left, right)
        case (.real(let left), .real(let right)): ValueOrder(left, right)
        case (.integer(let left), .real(let right)): NumberComparison.order(left, right)
        case (.real(let left), .integer(let right)): NumberComparison.order(right, left).reversed
        case (.boolean(let left), _): PredicateValue.integer(left ? 1 : 0).numberOrder(other)
        case (_, .boolean(let right)): numberOrder(.integer(right ? 1 : 0))
        case (.decimal(let left), .decimal(let right)): NumberComparison.order(left, right)
        case (.decimal(let left), .integer(let right)): NumberComparison.order(left, right)
        case (.decimal(let left), .real(let right)): NumberComparison.order(left, right)
        case (.integer(let left), .decimal(let right)): NumberComparison.order(right, left).reversed
        case (.real(let left), .decimal(let right)): NumberComparison.order(right, left).reversed
        default: nil
        }
    }
}
