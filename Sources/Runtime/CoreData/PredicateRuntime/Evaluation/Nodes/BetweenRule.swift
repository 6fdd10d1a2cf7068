internal import RuntimeSupport

/// `BETWEEN`: the right side contains the inclusive lower and upper bounds.
struct BetweenRule: ComparisonRule {
    private let isAbove: OrderRule
    private let isBelow: OrderRule

    init(strings: StringComparison) {
        isAbove = OrderRule(accepted: [.descending, .same], strings: strings)
        isBelow = OrderRule(accepted: [.ascending, .same], strings: strings)
    }

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        let (lower, upper) = Self.bounds(right)
        return isAbove.holds(left, lower) && isBelow.holds(left, upper)
    }

    func test(right: PredicateValue) -> any ValueTest {
        let (lower, upper) = Self.bounds(right)
        return BetweenTest(isAbove: isAbove.test(right: lower), isBelow: isBelow.test(right: upper))
    }

    private static func bounds(_ value: PredicateValue) -> (lower: PredicateValue, upper: PredicateValue) {
        guard case .collection(let bounds) = value, bounds.elements.count == 2 else {
            misuse(
                "NSInvalidArgumentException",
                "BETWEEN takes a lower and an upper bound, not \(value.textForMessage)")
        }
        return (bounds.elements[0], bounds.elements[1])
    }
}

/// `BETWEEN` with constant bounds.
struct BetweenTest: ValueTest {
    let isAbove: any ValueTest
    let isBelow: any ValueTest

    func holds(_ left: PredicateValue) -> Bool { isAbove.holds(left) && isBelow.holds(left) }
}
