/// An operator's test of two values.
protocol ComparisonRule {
    /// Returns whether the test is `true`.
    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool

    /// Returns the test for a right side, prepared as far as useful.
    func test(right: PredicateValue) -> any ValueTest
}

/// The test of a value by an operator with its right side.
protocol ValueTest {
    /// Returns whether the test is `true`.
    func holds(_ left: PredicateValue) -> Bool
}

extension ComparisonRule {
    func test(right: PredicateValue) -> any ValueTest { RightSideTest(rule: self, right: right) }
}

/// A rule with its right side, without preparation.
struct RightSideTest: ValueTest {
    let rule: any ComparisonRule
    let right: PredicateValue

    func holds(_ left: PredicateValue) -> Bool { rule.holds(left, right) }
}

/// `==` and `!=`.
struct EqualityRule: ComparisonRule {
    let strings: StringComparison
    let isNegated: Bool

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        strings.equal(left, right) != isNegated
    }

    func test(right: PredicateValue) -> any ValueTest {
        switch right {
        case .null: return NullTest(isNegated: isNegated)
        case .string(let text) where strings.isPlain: return TextEqualityTest(text: text, isNegated: isNegated)
        case .integer(let number): return WholeNumberTest(number: number, accepted: [.same], isNegated: isNegated)
        case .real(let number): return RealNumberTest(number: number, accepted: [.same], isNegated: isNegated)
        default: return RightSideTest(rule: self, right: right)
        }
    }
}

extension StringComparison {
    /// Returns whether two values are equal, comparing strings by this comparison.
    func equal(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        if !isPlain, case .string(let left) = left, case .string(let right) = right { return equal(left, right) }
        return left.equals(right)
    }
}

/// `== nil` and `!= nil`.
struct NullTest: ValueTest {
    let isNegated: Bool

    func holds(_ left: PredicateValue) -> Bool { left.isNull != isNegated }
}

/// Equality with a string.
struct TextEqualityTest: ValueTest {
    let text: String
    let isNegated: Bool

    func holds(_ left: PredicateValue) -> Bool {
        guard case .string(let left) = left else { return isNegated }
        return left.isSame(text) != isNegated
    }
}

/// `<`, `<=`, `>` and `>=`: `false` for `nil`.
struct OrderRule: ComparisonRule {
    /// The orders for which the comparison is `true`.
    let accepted: AcceptedOrders
    let strings: StringComparison

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        guard let order = left.order(right, strings) else { return false }
        return accepted.accepts(order)
    }

    func test(right: PredicateValue) -> any ValueTest {
        switch right {
        case .integer(let number): WholeNumberTest(number: number, accepted: accepted, isNegated: false)
        case .real(let number): RealNumberTest(number: number, accepted: accepted, isNegated: false)
        default: RightSideTest(rule: self, right: right)
        }
    }
}

struct AcceptedOrders: OptionSet {
    let rawValue: UInt8

    static let ascending = AcceptedOrders(rawValue: ValueOrder.ascending.rawValue)
    static let same = AcceptedOrders(rawValue: ValueOrder.same.rawValue)
    static let descending = AcceptedOrders(rawValue: ValueOrder.descending.rawValue)

    func accepts(_ order: ValueOrder) -> Bool { rawValue & order.rawValue != 0 }

    /// Returns whether the order of two integers is accepted.
    func accepts(_ left: Int64, _ right: Int64) -> Bool { accepts(ValueOrder(left, right)) }
}

/// A comparison of a value with an integer, or their equality, which is `false` for values that are not numbers.
struct WholeNumberTest: ValueTest {
    let number: Int64
    let accepted: AcceptedOrders
    let isNegated: Bool

    func holds(_ left: PredicateValue) -> Bool {
        if case .integer(let left) = left { return accepted.accepts(left, number) != isNegated }
        if accepted == .same { return left.equals(.integer(number)) != isNegated }
        guard let order = left.order(.integer(number)) else { return false }
        return accepted.accepts(order)
    }
}

/// A comparison of a value with a floating-point number, or their equality.
struct RealNumberTest: ValueTest {
    let number: Double
    let accepted: AcceptedOrders
    let isNegated: Bool

    func holds(_ left: PredicateValue) -> Bool {
        if case .real(let left) = left { return accepted.accepts(ValueOrder(left, number)) != isNegated }
        if accepted == .same { return left.equals(.real(number)) != isNegated }
        guard let order = left.order(.real(number)) else { return false }
        return accepted.accepts(order)
    }
}
