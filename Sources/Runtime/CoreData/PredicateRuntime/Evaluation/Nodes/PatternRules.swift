internal import RuntimeSupport

/// `LIKE`.
struct LikeRule: ComparisonRule {
    let strings: StringComparison

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        guard let (text, pattern) = PatternOperands.strings(left, right) else { return false }
        return WildcardPattern(pattern, strings).matches(text)
    }

    func test(right: PredicateValue) -> any ValueTest {
        guard case .string(let pattern) = right else { return RightSideTest(rule: self, right: right) }
        return WildcardTest(pattern: WildcardPattern(pattern, strings), right: right)
    }
}

/// `LIKE` with a prepared pattern.
struct WildcardTest: ValueTest {
    let pattern: WildcardPattern
    let right: PredicateValue

    func holds(_ left: PredicateValue) -> Bool {
        guard let (text, _) = PatternOperands.strings(left, right) else { return false }
        return pattern.matches(text)
    }
}

/// `MATCHES`.
struct MatchesRule: ComparisonRule {
    let strings: StringComparison
    private let cache = RegularExpressionCache()

    init(strings: StringComparison) {
        self.strings = strings
    }

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        guard let (text, pattern) = PatternOperands.strings(left, right) else { return false }
        return cache.expression(pattern, strings).matches(text)
    }

    func test(right: PredicateValue) -> any ValueTest {
        guard case .string(let pattern) = right else { return RightSideTest(rule: self, right: right) }
        return RegularExpressionTest(expression: RegularExpression(pattern, strings), right: right)
    }
}

/// `MATCHES` with a prepared pattern.
struct RegularExpressionTest: ValueTest {
    let expression: RegularExpression
    let right: PredicateValue

    func holds(_ left: PredicateValue) -> Bool {
        guard let (text, _) = PatternOperands.strings(left, right) else { return false }
        return expression.matches(text)
    }
}

/// A comparison with a method of the left value:
/// `NSComparisonPredicate(leftExpression:rightExpression:customSelector:)`.
struct CustomRule: ComparisonRule {
    let selector: String

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch MethodCall.call(selector, of: left, [right]) {
        case .null: false
        case let answer: answer.wholeNumber != 0
        }
    }
}

/// The two sides of `LIKE` and `MATCHES`.
enum PatternOperands {
    /// Returns both strings, or `nil` if either is `nil`, which matches nothing. Traps on other values.
    static func strings(_ left: PredicateValue, _ right: PredicateValue) -> (text: String, pattern: String)? {
        switch (left, right) {
        case (.string(let text), .string(let pattern)): return (text, pattern)
        case (.null, .string), (.string, .null), (.null, .null): return nil
        case (.string, _): misuse("NSInvalidArgumentException", "Can't use \(right.textForMessage) as a pattern.")
        default: misuse("NSInvalidArgumentException", "Can't do regex matching on object \(left.textForMessage).")
        }
    }
}
