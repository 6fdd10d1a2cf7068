public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

extension FoundationFactory where Self: NSComparisonPredicate {
    private init(
        left: NSExpression, right: NSExpression,
        make: (PredicateSyntax.Expression, PredicateSyntax.Expression) -> Comparison
    ) {
        let (first, second) = (left.tree, right.tree)
        let tree = PredicateTree(
            .comparison(make(first.syntax, second.syntax)), boxes: OpaqueBoxes([first.boxes, second.boxes]))
        guard let result = TreeComparison.make(tree) as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSComparisonPredicate cannot be made")
        }
        self = result
    }

    /// Creates a comparison of two expressions.
    ///
    /// - Parameters:
    ///   - lhs: The left operand.
    ///   - rhs: The right operand.
    ///   - modifier: Whether the left side is one value, or a collection of which any or all must match.
    ///   - type: The operator. For one that calls a method, use `init(leftExpression:rightExpression:customSelector:)`.
    ///   - options: The options for comparing strings.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: NSComparisonPredicate.Modifier,
        type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options = []
    ) {
        self.init(left: lhs, right: rhs) {
            Comparison(
                left: $0, comparisonOperator: ComparisonOperator(type), right: $1,
                modifier: ComparisonModifier(rawValue: modifier.rawValue) ?? .direct,
                options: ComparisonOptions(rawValue: options.rawValue))
        }
    }

    /// Creates a comparison that calls a method of the left value with the right one. Without an Objective-C runtime,
    /// not every method can be called; see `PredicateCallable`.
    public init(leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector)
    {
        self.init(left: lhs, right: rhs) {
            Comparison(left: $0, comparisonOperator: .customSelector(selector.description), right: $1)
        }
    }

    private var comparison: Comparison {
        guard case .comparison(let comparison) = tree.syntax else {
            misuse("NSInvalidArgumentException", "\(tree.format) is not a comparison")
        }
        return comparison
    }

    /// The left operand.
    public var leftExpression: NSExpression {
        ExpressionTree(comparison.left, boxes: tree.boxes).makeExpression()
    }

    /// The right operand.
    public var rightExpression: NSExpression {
        ExpressionTree(comparison.right, boxes: tree.boxes).makeExpression()
    }

    /// Whether the left side is one value, or a collection of which any or all must match.
    public var comparisonPredicateModifier: NSComparisonPredicate.Modifier {
        NSComparisonPredicate.Modifier(rawValue: comparison.modifier.rawValue) ?? .direct
    }

    /// The operator. Foundation's enumeration on Linux has no case for an operator that calls a method, so check
    /// `customSelector` first.
    public var predicateOperatorType: NSComparisonPredicate.Operator {
        guard let type = comparison.comparisonOperator.foundation else {
            misuse("NSInvalidArgumentException", "the operator of \(tree.format) is a method; see customSelector")
        }
        return type
    }

    /// The options for comparing strings.
    public var options: NSComparisonPredicate.Options {
        NSComparisonPredicate.Options(rawValue: comparison.options.rawValue)
    }

    /// The method that the comparison calls; `nil` for other comparisons.
    public var customSelector: Selector? {
        guard case .customSelector(let selector) = comparison.comparisonOperator else { return nil }
        return Selector(selector)
    }
}

// Foundation's raw values on Linux differ from Apple's, so each case is listed.
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
