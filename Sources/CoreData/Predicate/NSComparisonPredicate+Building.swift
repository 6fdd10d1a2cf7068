public import Foundation
internal import PredicateSyntax

extension FoundationFactory where Self: NSComparisonPredicate {
    private init(
        _ left: NSExpression, _ right: NSExpression,
        _ make: (PredicateSyntax.Expression, PredicateSyntax.Expression) -> Comparison
    ) {
        let (first, second) = (left.tree, right.tree)
        let tree = PredicateTree(
            .comparison(make(first.syntax, second.syntax)), boxes: OpaqueBoxes([first.boxes, second.boxes]))
        guard let result = TreeComparison.make(tree) as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSComparisonPredicate cannot be made")
        }
        self = result
    }

    /// A comparison of two expressions.
    ///
    /// - Parameters:
    ///   - lhs: the expression before the operator.
    ///   - rhs: the expression after it.
    ///   - modifier: whether the left side is one value, or a collection of which any or all must match.
    ///   - type: the operator. One that calls a method is made by `init(leftExpression:rightExpression:customSelector:)`.
    ///   - options: how strings are compared.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: NSComparisonPredicate.Modifier,
        type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options = []
    ) {
        self.init(lhs, rhs) {
            Comparison(
                left: $0, comparisonOperator: ComparisonOperator(type), right: $1,
                modifier: ComparisonModifier(rawValue: modifier.rawValue) ?? .direct,
                options: ComparisonOptions(rawValue: options.rawValue))
        }
    }

    /// A comparison that is a method of the left value, called with the right one. There is no Objective-C runtime that
    /// could call any method; see `PredicateCallable`.
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector)
    {
        self.init(lhs, rhs) {
            Comparison(left: $0, comparisonOperator: .customSelector(selector.description), right: $1)
        }
    }

    private var comparison: Comparison {
        guard case .comparison(let comparison) = tree.syntax else {
            misuse("NSInvalidArgumentException", "\(tree.format) is not a comparison")
        }
        return comparison
    }

    /// The expression before the operator.
    public var leftExpression: NSExpression {
        ExpressionTree(comparison.left, boxes: tree.boxes).makeExpression()
    }

    /// The expression after the operator.
    public var rightExpression: NSExpression {
        ExpressionTree(comparison.right, boxes: tree.boxes).makeExpression()
    }

    /// Whether the left side is one value, or a collection of which any or all must match.
    public var comparisonPredicateModifier: NSComparisonPredicate.Modifier {
        NSComparisonPredicate.Modifier(rawValue: comparison.modifier.rawValue) ?? .direct
    }

    /// The operator. Foundation's enumeration has no case on Linux for one that is a method: ask `customSelector` first.
    public var predicateOperatorType: NSComparisonPredicate.Operator {
        guard let type = comparison.comparisonOperator.foundation else {
            misuse("NSInvalidArgumentException", "the operator of \(tree.format) is a method; see customSelector")
        }
        return type
    }

    /// How strings are compared.
    public var options: NSComparisonPredicate.Options {
        NSComparisonPredicate.Options(rawValue: comparison.options.rawValue)
    }

    /// The method of a comparison that is one, else nil.
    public var customSelector: Selector? {
        guard case .customSelector(let selector) = comparison.comparisonOperator else { return nil }
        return Selector(selector)
    }
}

// Foundation's raw values on Linux are not Apple's, so each case is named.
extension ComparisonOperator {
    fileprivate init(_ type: NSComparisonPredicate.Operator) {
        switch type {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqual
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqual
        case .equalTo: self = .equal
        case .notEqualTo: self = .notEqual
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .in: self = .in
        case .contains: self = .contains
        case .between: self = .between
        }
    }

    fileprivate var foundation: NSComparisonPredicate.Operator? {
        switch self {
        case .lessThan: .lessThan
        case .lessThanOrEqual: .lessThanOrEqualTo
        case .greaterThan: .greaterThan
        case .greaterThanOrEqual: .greaterThanOrEqualTo
        case .equal: .equalTo
        case .notEqual: .notEqualTo
        case .matches: .matches
        case .like: .like
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .in: .in
        case .contains: .contains
        case .between: .between
        case .customSelector: nil
        }
    }
}
