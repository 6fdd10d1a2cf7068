internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// Creates nodes from trees. A compiler creates one program.
///
/// Compounds may nest to any depth. Expressions, and predicates within them, may nest up to `maximumDepth` levels:
/// evaluating them uses stack at every level, so deeper ones trap with an explanation instead of overflowing the stack.
final class NodeCompiler {
    /// The maximum nesting depth of expressions: above the parser's limit (200), and low enough that 1 MB of stack
    /// suffices without optimization, an eighth of the default on Linux.
    static let maximumDepth = 500

    /// Traps because of an expression that nests deeper than `maximumDepth`.
    static func stopAtDepth() -> Never {
        misuse("NSInvalidArgumentException", "an expression nests deeper than \(maximumDepth) levels")
    }

    private(set) var size = FrameSize()
    /// The properties that the code compiled so far reads.
    private(set) var reads = ProgramReads()
    private var positions: [String: Int] = [:]
    /// The variables of the subqueries that enclose the part being compiled.
    private var bound: [String] = []
    /// The key paths from the evaluated object to the collections of `bound`; `nil` for other collections.
    private var boundPaths: [[String]?] = []
    private var depth = 0

    // MARK: Expressions

    func node(_ expression: PredicateSyntax.Expression, _ boxes: BoxTable) -> any ValueNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { Self.stopAtDepth() }
        switch expression {
        case .constant(let constant): return ConstantNode(value(of: constant, boxes))
        case .evaluatedObject: return EvaluatedObjectNode()
        case .variable(let name):
            return bound.lastIndex(of: name).map { LocalNode($0) } ?? VariableNode(name)
        case .keyPath(let path): return keyPath(path, boxes)
        case .function(let call): return function(call, boxes)
        case .union, .intersect, .minus, .subquery, .aggregate, .conditional, .predicate, .element, .assignment, .block,
            .fetch, .anyKey, .placeholder:
            return rareNode(expression, boxes)
        }
    }

    private func rareNode(_ expression: PredicateSyntax.Expression, _ boxes: BoxTable) -> any ValueNode {
        switch expression {
        case .union(let left, let right): return set(.union, left: left, right: right, boxes: boxes)
        case .intersect(let left, let right): return set(.intersect, left: left, right: right, boxes: boxes)
        case .minus(let left, let right): return set(.minus, left: left, right: right, boxes: boxes)
        case .subquery(let query): return subquery(query, boxes)
        case .aggregate(let elements): return folded(elements.map { node($0, boxes) }) { AggregateNode($0) }
        case .conditional(let predicate, let first, let second):
            return ConditionalNode(
                program: program(predicate, boxes), first: node(first, boxes), second: node(second, boxes))
        case .predicate(let predicate): return PredicateValueNode(program(predicate, boxes))
        case .element(let collection, let index): return element(collection, index: index, boxes: boxes)
        case .assignment(let name, let value): return AssignmentNode(name, node(value, boxes))
        case .block(let reference, let arguments): return block(reference, arguments: arguments, boxes: boxes)
        case .fetch(let fetch):
            reads.callsCode = true
            return FetchNode(node(fetch.request, boxes), node(fetch.context, boxes), countOnly: fetch.countOnly)
        case .anyKey: misuse("NSInvalidArgumentException", "ANYKEY is for Spotlight only")
        case .placeholder(let placeholder, _):
            misuse("NSInvalidArgumentException", "an argument for \(placeholder.spelling) is missing")
        case .constant, .evaluatedObject, .variable, .keyPath, .function: return node(expression, boxes)
        }
    }

    /// Returns the value of a constant, prepared once.
    private func value(of constant: Constant, _ boxes: BoxTable) -> PredicateValue {
        if case .opaque(let reference) = constant, let value = boxes.value(of: reference), Self.isMutable(value) {
            reads.holdsMutableValues = true
        }
        return boxes.value(of: constant).prepared
    }

    /// Returns whether a value may change: the caller may have kept a reference to it.
    private static func isMutable(_ value: Any) -> Bool {
        guard type(of: value) is AnyClass else { return false }
        return value is NSMutableArray || value is NSMutableSet || value is NSMutableOrderedSet
            || value is NSMutableDictionary || value is NSMutableData
    }

    /// - Parameter keepsDuplicates: Whether the values of several objects include equal ones.
    private func keyPath(
        _ path: KeyPathExpression, _ boxes: BoxTable, keepsDuplicates: Bool = false
    ) -> any ValueNode {
        var keys = path.keyPath.keys
        if let whole = keysFromEvaluatedObject(path) { reads.paths.append(whole) }
        let keepsDuplicates = keepsDuplicates && path.keyPath.collectionOperatorIndex == nil
        guard path.startsAtEvaluatedObject, let first = keys.first, first.utf8.first != UInt8(ascii: "@") else {
            let operand = path.operand.map { node($0, boxes) } ?? EvaluatedObjectNode()
            return KeyPathNode(operand, keys, keepsDuplicates: keepsDuplicates)
        }
        keys.removeFirst()
        let root = KeyNode(first, position: position(of: first))
        return keys.isEmpty ? root : KeyPathNode(root, keys, keepsDuplicates: keepsDuplicates)
    }

    /// Returns the nodes of a function's arguments. A function of many values, such as `sum:(books.pages)`, gets those
    /// of all members, not the distinct ones that a set has.
    private func arguments(_ call: FunctionCall, _ boxes: BoxTable) -> [any ValueNode] {
        if call.operand == nil, call.arguments.count == 1, case .keyPath(let path) = call.arguments[0],
            PredefinedFunction.aggregates.contains(call.selector)
        {
            return [keyPath(path, boxes, keepsDuplicates: true)]
        }
        return call.arguments.map { node($0, boxes) }
    }

    /// Returns the keys starting at the evaluated object, including those to an element of a subquery's collection, or
    /// `nil` if the path starts elsewhere.
    private func keysFromEvaluatedObject(_ path: KeyPathExpression) -> [String]? {
        if path.startsAtEvaluatedObject { return path.keyPath.keys }
        guard case .variable(let name) = path.operand, let index = bound.lastIndex(of: name) else { return nil }
        return boundPaths[index].map { $0 + path.keyPath.keys }
    }

    private func position(of key: String) -> Int {
        if let position = positions[key] { return position }
        let position = size.keys
        positions[key] = position
        size.keys += 1
        return position
    }

    private func function(_ call: FunctionCall, _ boxes: BoxTable) -> any ValueNode {
        let arguments = arguments(call, boxes)
        if let operand = call.operand {
            reads.callsCode = true
            return MethodNode(target: node(operand, boxes), selector: call.selector, arguments: arguments)
        }
        if let operation = Arithmetic.Operation(selector: call.selector), arguments.count == 2 {
            return folded(arguments) { ArithmeticNode(operation: operation, left: $0[0], right: $0[1]) }
        }
        if call.selector == FunctionCall.elementSelector, arguments.count == 2 {
            return ElementNode(arguments[0], .value(arguments[1]))
        }
        guard let function = PredefinedFunction.all[call.selector] else {
            misuse("NSInvalidArgumentException", "unknown function \(call.selector)")
        }
        guard function.arity.contains(arguments.count) else {
            misuse(
                "NSInvalidArgumentException", "the function \(call.selector) does not take \(arguments.count) arguments"
            )
        }
        if arguments.isEmpty || call.selector.hasPrefix("random") { return FunctionNode(function, arguments) }
        return folded(arguments) { FunctionNode(function, $0) }
    }

    /// Returns the node, or its value if all of its operands are constant.
    private func folded(
        _ parts: [any ValueNode], _ make: ([any ValueNode]) -> any ValueNode
    ) -> any ValueNode {
        let node = make(parts)
        guard parts.allSatisfy({ $0 is ConstantNode }) else { return node }
        var frame = EvaluationFrame(size: FrameSize(), bindings: nil)
        return ConstantNode(node.value(of: .null, in: &frame).prepared)
    }

    private func set(
        _ operation: SetOperationNode.Operation, left: PredicateSyntax.Expression,
        right: PredicateSyntax.Expression, boxes: BoxTable
    ) -> any ValueNode {
        folded([node(left, boxes), node(right, boxes)]) {
            SetOperationNode(operation: operation, left: $0[0], right: $0[1])
        }
    }

    private func subquery(_ query: Subquery, _ boxes: BoxTable) -> any ValueNode {
        let collection = node(query.collection, boxes)
        var path: [String]?
        if case .keyPath(let keyPath) = query.collection { path = keysFromEvaluatedObject(keyPath) }
        bound.append(query.variable)
        boundPaths.append(path)
        size.locals = max(size.locals, bound.count)
        defer {
            bound.removeLast()
            boundPaths.removeLast()
        }
        return SubqueryNode(collection, local: bound.count - 1, program(query.predicate, boxes))
    }

    private func element(
        _ collection: PredicateSyntax.Expression, index: ElementIndex, boxes: BoxTable
    ) -> any ValueNode {
        let collection = node(collection, boxes)
        return switch index {
        case .expression(let expression): ElementNode(collection, .value(node(expression, boxes)))
        case .first: ElementNode(collection, .first)
        case .last: ElementNode(collection, .last)
        case .size: ElementNode(collection, .size)
        }
    }

    private func block(
        _ reference: OpaqueValue, arguments: [PredicateSyntax.Expression], boxes: BoxTable
    ) -> any ValueNode {
        guard let code = (boxes.value(of: reference) as? Block)?.expression else {
            misuse("NSInvalidArgumentException", "the expression has no block that could be called")
        }
        reads.callsCode = true
        return BlockNode(code, arguments.map { node($0, boxes) })
    }

    // MARK: Predicates

    /// Returns the program of a predicate within an expression, or of a whole one.
    func program(_ predicate: PredicateSyntax.Predicate, _ boxes: BoxTable) -> TestProgram {
        program(.tree(predicate, boxes))
    }

    func program(_ predicate: PredicateSource) -> TestProgram {
        depth += 1
        defer { depth -= 1 }
        return ProgramBuilder(self).program(predicate)
    }

    /// Records that foreign code is passed objects.
    func recordCode() {
        reads.callsCode = true
    }

    func comparison(_ comparison: Comparison, _ boxes: BoxTable) -> TestNode {
        let left = node(comparison.left, boxes)
        let right = node(comparison.right, boxes)
        if case .customSelector = comparison.comparisonOperator { recordCode() }
        let rule = rule(comparison.comparisonOperator, StringComparison(comparison.options))
        switch comparison.modifier {
        case .all: return QuantifiedNode(left: left, rule: rule, right: right, isAll: true)
        case .any: return QuantifiedNode(left: left, rule: rule, right: right, isAll: false)
        case .direct: break
        }
        guard let constant = right as? ConstantNode else { return ComparisonNode(left: left, rule: rule, right: right) }
        return ConstantComparisonNode(left, rule.test(right: constant.value))
    }

    private func rule(_ comparisonOperator: ComparisonOperator, _ strings: StringComparison) -> any ComparisonRule {
        switch comparisonOperator {
        case .lessThan: OrderRule(accepted: .ascending, strings: strings)
        case .lessThanOrEqual: OrderRule(accepted: [.ascending, .same], strings: strings)
        case .greaterThan: OrderRule(accepted: .descending, strings: strings)
        case .greaterThanOrEqual: OrderRule(accepted: [.descending, .same], strings: strings)
        case .equal: EqualityRule(strings: strings, isNegated: false)
        case .notEqual: EqualityRule(strings: strings, isNegated: true)
        case .matches: MatchesRule(strings: strings)
        case .like: LikeRule(strings: strings)
        case .beginsWith: AffixRule(position: .start, strings: strings)
        case .endsWith: AffixRule(position: .end, strings: strings)
        case .in: InRule(strings: strings)
        case .contains: ContainsRule(strings: strings)
        case .between: BetweenRule(strings: strings)
        case .customSelector(let selector): CustomRule(selector: selector)
        }
    }
}

extension Arithmetic.Operation {
    /// Creates the operation of a predefined function, or `nil` if the function is not an arithmetic operator.
    init?(selector: String) {
        switch selector {
        case "add:to:": self = .add
        case "from:subtract:": self = .subtract
        case "multiply:by:": self = .multiply
        case "divide:by:": self = .divide
        case "raise:toPower:": self = .power
        case "modulus:by:": self = .modulus
        default: return nil
        }
    }
}

/// The properties that a program reads.
struct ProgramReads {
    /// The key paths from the evaluated object.
    var paths: [[String]] = []
    /// Whether code is called that may access the object itself: a block, a method, or a predicate of another class.
    var callsCode = false
    /// Whether the program has constants that were made of mutable collections.
    var holdsMutableValues = false
}
