internal import Foundation

/// An expression that has been made ready for evaluation.
protocol ValueNode: AnyObject {
    /// The expression's value.
    func value(in frame: inout EvaluationFrame) -> PredicateValue
}

/// A predicate that has been made ready for evaluation.
protocol TestNode: AnyObject {
    /// Whether the predicate is true.
    func holds(in frame: inout EvaluationFrame) -> Bool
}

/// A value that is always the same.
final class ConstantNode: ValueNode {
    let value: PredicateValue

    init(_ value: PredicateValue) {
        self.value = value
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue { value }
}

/// `SELF`.
final class EvaluatedObjectNode: ValueNode {
    func value(in frame: inout EvaluationFrame) -> PredicateValue { frame.object }
}

/// One key of the evaluated object.
final class KeyNode: ValueNode {
    private let key: String
    private let place: Int

    init(_ key: String, place: Int) {
        self.key = key
        self.place = place
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue { frame.value(forKey: key, place: place) }
}

/// Keys that are followed from another value.
final class KeyPathNode: ValueNode {
    private let operand: any ValueNode
    private let keys: [String]

    init(_ operand: any ValueNode, _ keys: [String]) {
        self.operand = operand
        self.keys = keys
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue {
        operand.value(in: &frame).value(forKeys: keys)
    }
}

/// `$name`, given from outside or assigned.
final class VariableNode: ValueNode {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue { frame.value(ofVariable: name) }
}

/// `$name`, the element that a subquery asks about.
final class LocalNode: ValueNode {
    private let index: Int

    init(_ index: Int) {
        self.index = index
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue { frame.locals[index] }
}

/// `$name := value`.
final class AssignmentNode: ValueNode {
    private let name: String
    private let operand: any ValueNode

    init(_ name: String, _ operand: any ValueNode) {
        self.name = name
        self.operand = operand
    }

    func value(in frame: inout EvaluationFrame) -> PredicateValue {
        let value = operand.value(in: &frame)
        frame.assign(value, toVariable: name)
        return value
    }
}
