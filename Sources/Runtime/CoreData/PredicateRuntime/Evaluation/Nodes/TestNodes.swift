internal import Foundation
internal import RuntimeSupport

/// A comparison of two values that must both be computed.
final class ComparisonNode: TestNode {
    private let left: any ValueNode
    private let right: any ValueNode
    private let rule: any ComparisonRule

    init(left: any ValueNode, rule: any ComparisonRule, right: any ValueNode) {
        self.left = left
        self.right = right
        self.rule = rule
    }

    override func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool {
        let first = left.value(of: object, in: &frame)
        return rule.holds(first, right.value(of: object, in: &frame))
    }
}

final class ConstantComparisonNode: TestNode {
    let left: any ValueNode
    let test: any ValueTest

    init(_ left: any ValueNode, _ test: any ValueTest) {
        self.left = left
        self.test = test
    }

    override func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool {
        test.holds(left.value(of: object, in: &frame))
    }
}

/// `ANY` and `ALL`: a comparison of the elements of the left side.
final class QuantifiedNode: TestNode {
    private let left: any ValueNode
    private let right: any ValueNode
    private let rule: any ComparisonRule
    /// The rule with its right side, if that is constant.
    private let test: (any ValueTest)?
    private let isAll: Bool

    init(left: any ValueNode, rule: any ComparisonRule, right: any ValueNode, isAll: Bool) {
        self.left = left
        self.right = right
        self.rule = rule
        self.isAll = isAll
        test = (right as? ConstantNode).map { rule.test(right: $0.value) }
    }

    /// Returns whether all or any of the elements match. For no elements, and for `nil`, ALL is `true` and ANY is
    /// `false`.
    override func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool {
        let elements: [PredicateValue]
        switch left.value(of: object, in: &frame) {
        case .null: return isAll
        case .collection(let collection): elements = collection.elements
        case let other:
            misuse(
                "NSInvalidArgumentException",
                "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet. (\(other.textForMessage))"
            )
        }
        if let test {
            return isAll ? elements.allSatisfy { test.holds($0) } : elements.contains { test.holds($0) }
        }
        let value = right.value(of: object, in: &frame)
        return isAll
            ? elements.allSatisfy { rule.holds($0, value) } : elements.contains { rule.holds($0, value) }
    }
}

/// A predicate that evaluates itself: one with a block, or of another class.
final class ForeignPredicateNode: TestNode {
    private let predicate: NSPredicate

    init(_ predicate: NSPredicate) {
        self.predicate = predicate
    }

    override func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool {
        // Foundation's own on Linux traps if it is given variables, although it would only pass them to a block.
        let bindings = type(of: predicate) == NSPredicate.self ? nil : frame.givenBindings
        return predicate.evaluate(with: frame.originalObject(object), substitutionVariables: bindings)
    }
}
