internal import Foundation
internal import RuntimeSupport

/// `a + b` and other arithmetic operators.
final class ArithmeticNode: ValueNode {
    private let operation: Arithmetic.Operation
    private let left: any ValueNode
    private let right: any ValueNode

    init(operation: Arithmetic.Operation, left: any ValueNode, right: any ValueNode) {
        self.operation = operation
        self.left = left
        self.right = right
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let first = left.value(of: object, in: &frame)
        return Arithmetic.apply(operation, left: first, right: right.value(of: object, in: &frame))
    }
}

final class FunctionNode: ValueNode {
    private let function: PredefinedFunction
    private let arguments: [any ValueNode]

    init(_ function: PredefinedFunction, _ arguments: [any ValueNode]) {
        self.function = function
        self.arguments = arguments
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        function.body(arguments.values(for: object, in: &frame))
    }
}

/// `FUNCTION(object, "selector:", argument)`.
final class MethodNode: ValueNode {
    private let target: any ValueNode
    private let selector: String
    private let arguments: [any ValueNode]

    init(target: any ValueNode, selector: String, arguments: [any ValueNode]) {
        self.target = target
        self.selector = selector
        self.arguments = arguments
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let receiver = target.value(of: object, in: &frame)
        return MethodCall.call(selector, of: receiver, arguments.values(for: object, in: &frame))
    }
}

/// Code that is called with the values of the arguments: `NSExpression(block:arguments:)`.
final class BlockNode: ValueNode {
    /// The type of the code, which is called with the object, the arguments, and the evaluation's dictionary.
    typealias Code = (Any?, [Any], NSMutableDictionary?) -> Any?

    private let code: Code
    private let arguments: [any ValueNode]

    init(_ code: @escaping Code, _ arguments: [any ValueNode]) {
        self.code = code
        self.arguments = arguments
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let values = arguments.values(for: object, in: &frame).map { $0.any ?? NSNull() }
        return PredicateValue(any: code(frame.originalObject(object), values, frame.context))
    }
}

/// `FETCH(request, context, countOnly)`.
final class FetchNode: ValueNode {
    private let request: any ValueNode
    private let context: any ValueNode
    private let countOnly: Bool

    init(_ request: any ValueNode, _ context: any ValueNode, countOnly: Bool) {
        self.request = request
        self.context = context
        self.countOnly = countOnly
    }

    func value(of object: PredicateValue, in frame: inout EvaluationFrame) -> PredicateValue {
        let request = request.value(of: object, in: &frame)
        let context = context.value(of: object, in: &frame)
        guard let fetcher = context.any as? any FetchExpressionContext else {
            misuse("NSInvalidArgumentException", "FETCH takes a context, not \(context.textForMessage)")
        }
        return PredicateValue(any: fetcher.fetchExpressionValue(request: request.any, countOnly: countOnly))
    }
}

/// A context that executes the request of `FETCH(request, context, countOnly)`.
package protocol FetchExpressionContext: AnyObject {
    /// Returns the results of a request, or their number.
    func fetchExpressionValue(request: Any?, countOnly: Bool) -> Any?
}

extension [any ValueNode] {
    /// Returns the values of all expressions.
    func values(for object: PredicateValue, in frame: inout EvaluationFrame) -> [PredicateValue] {
        var values: [PredicateValue] = []
        values.reserveCapacity(count)
        for node in self { values.append(node.value(of: object, in: &frame)) }
        return values
    }
}
