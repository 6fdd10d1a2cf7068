internal import Foundation

/// An expression prepared for evaluation.
protocol ValueNode: AnyObject {
    /// Returns the expression's value for an object.
    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue
}

/// A comparison prepared for evaluation. A class rather than a protocol, so that a program can call it without
/// reference counting.
class TestNode {
    /// Returns whether the comparison is `true` for an object.
    func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool { false }
}

final class ConstantNode: ValueNode {
    let value: PredicateValue

    init(_ value: PredicateValue) {
        self.value = value
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue { value }
}

/// `SELF`.
final class EvaluatedObjectNode: ValueNode {
    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue { object }
}

/// A key of the evaluated object.
final class KeyNode: ValueNode {
    let key: String
    private let position: Int

    init(_ key: String, position: Int) {
        self.key = key
        self.position = position
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        frame.value(of: object, forKey: key, position: position)
    }
}

/// Keys that are followed from another value.
final class KeyPathNode: ValueNode {
    private let operand: any ValueNode
    private let keys: [String]
    private let keepsDuplicates: Bool

    init(_ operand: any ValueNode, _ keys: [String], keepsDuplicates: Bool = false) {
        self.operand = operand
        self.keys = keys
        self.keepsDuplicates = keepsDuplicates
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let start = operand.value(of: object, in: &frame)
        return keepsDuplicates ? start.allValues(forKeys: keys) : start.value(forKeys: keys)
    }
}

/// `$name`, provided by the caller or assigned.
final class VariableNode: ValueNode {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        frame.value(ofVariable: name, for: object)
    }
}

/// `$name`, the element of a subquery.
final class LocalNode: ValueNode {
    private let index: Int

    init(_ index: Int) {
        self.index = index
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue { frame.locals[index] }
}

/// `$name := value`.
final class AssignmentNode: ValueNode {
    private let name: String
    private let operand: any ValueNode

    init(_ name: String, _ operand: any ValueNode) {
        self.name = name
        self.operand = operand
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let value = operand.value(of: object, in: &frame)
        frame.assign(value, toVariable: name)
        return value
    }
}
