/// An operator whose right side has not been read to its end.
struct PendingOperator: Sendable {
    enum Kind: Sendable {
        case or
        case and
        case not
        /// `ANY`, `ALL`, `SOME`, and `NONE` as a negated `ANY`.
        case modifier(ComparisonModifier, isNegated: Bool)
        case comparison(ComparisonOperator, ComparisonOptions)
        case assign
        case union
        case intersect
        case minus
        case arithmetic(ArithmeticOperator)
        case negate
    }

    /// How tightly operators hold their operands. `**` above `*`, a sign above `**`, and set operators below `+` are
    /// guesses about Apple's grammar; the printer puts parentheses where a different guess would change the meaning.
    enum Precedence: Int, Comparable, Sendable {
        case or, and, not, modifier, comparison, assignment, set, additive, multiplicative, power, sign

        static func < (left: Precedence, right: Precedence) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    let kind: Kind
    /// Where the operator was written.
    let range: Range<Int>

    var precedence: Precedence {
        switch kind {
        case .or: .or
        case .and: .and
        case .not: .not
        case .modifier: .modifier
        case .comparison: .comparison
        case .assign: .assignment
        case .union, .intersect, .minus: .set
        case .arithmetic(let sign): sign.precedence
        case .negate: .sign
        }
    }

    /// Whether the operator joins predicates, so that a new comparison may begin after it.
    var isLogical: Bool {
        switch kind {
        case .or, .and, .not: true
        default: false
        }
    }

    /// Whether the operator must be applied to what was read before the next operator is taken.
    ///
    /// `AND` and `OR` are not applied before one of their own kind: a chain of them is collected and becomes one flat
    /// compound. Assignments group from the right, everything else from the left.
    func isAppliedBefore(_ next: PendingOperator) -> Bool {
        switch precedence {
        case .or, .and, .assignment: precedence > next.precedence
        default: precedence >= next.precedence
        }
    }
}

extension ArithmeticOperator {
    var precedence: PendingOperator.Precedence {
        switch self {
        case .add, .subtract: .additive
        case .multiply, .divide: .multiplicative
        case .power: .power
        }
    }
}
