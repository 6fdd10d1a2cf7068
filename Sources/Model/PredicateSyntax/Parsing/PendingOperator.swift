/// An operator whose right side has not been read completely.
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

    /// The precedence of operators. `**` above `*`, a sign above `**`, and set operators below `+` are guesses about
    /// Apple's grammar; the printer adds parentheses where a different precedence would change the meaning.
    enum Precedence: Int, Comparable, Sendable {
        case or, and, not, modifier, comparison, assignment, set, additive, multiplicative, power, sign

        static func < (left: Precedence, right: Precedence) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    let kind: Kind
    /// The range of the operator in the text.
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

    /// Returns whether the operator must be applied before the next operator is pushed.
    ///
    /// `AND` and `OR` are not applied before another operator of their kind: a chain of them becomes one flat compound.
    /// Assignments are right-associative, all other operators left-associative.
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
