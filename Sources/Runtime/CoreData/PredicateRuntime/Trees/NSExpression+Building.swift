public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

extension FoundationFactory where Self: NSExpression {
    /// Creates an expression from a tree whose parts are other expressions.
    private init(_ syntax: PredicateSyntax.Expression, _ boxes: [OpaqueBoxes]) {
        guard let result = TreeExpression.make(ExpressionTree(syntax, boxes: OpaqueBoxes(boxes))) as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSExpression cannot be made")
        }
        self = result
    }

    private init(
        left: NSExpression, right: NSExpression,
        make: (PredicateSyntax.Expression, PredicateSyntax.Expression) -> PredicateSyntax.Expression
    ) {
        let (first, second) = (left.tree, right.tree)
        self.init(make(first.syntax, second.syntax), [first.boxes, second.boxes])
    }

    /// Creates a call of an object's method: `FUNCTION(target, "name:", argument)`. Without an Objective-C runtime, not
    /// every method can be called; see `PredicateCallable` and `KeyValueReadable`.
    public init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let operand = target.tree
        let arguments = (parameters ?? []).map { ($0 as? NSExpression)?.tree ?? ExpressionTree(constant: $0) }
        self.init(
            .function(FunctionCall(operand: operand.syntax, selector: name, arguments: arguments.map(\.syntax))),
            [operand.boxes] + arguments.map(\.boxes))
    }

    /// Creates a list of the values of expressions: `{a, b}`. Values that are not expressions are constants.
    public init(forAggregate subexpressions: [Any]) {
        let trees = subexpressions.map { ($0 as? NSExpression)?.tree ?? ExpressionTree(constant: $0) }
        self.init(.aggregate(trees.map(\.syntax)), trees.map(\.boxes))
    }

    /// Creates an expression for the elements of either collection: `a UNION b`.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(left: left, right: right) { .union($0, $1) }
    }

    /// Creates an expression for the elements of both collections: `a INTERSECT b`.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(left: left, right: right) { .intersect($0, $1) }
    }

    /// Creates an expression for the elements of the first collection that the second lacks: `a MINUS b`.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(left: left, right: right) { .minus($0, $1) }
    }

    /// Creates an expression for the elements of a collection for which a predicate is `true`: `SUBQUERY(collection,
    /// $variable, predicate)`.
    ///
    /// - Parameters:
    ///   - expression: The collection.
    ///   - variable: The name of the element in the predicate, without `$`.
    ///   - predicate: The condition on each element.
    public init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) {
        let (collection, condition) = (expression.tree, predicate.tree)
        self.init(
            .subquery(Subquery(collection: collection.syntax, variable: variable, predicate: condition.syntax)),
            [collection.boxes, condition.boxes])
    }

    /// Creates an expression for one of two values, chosen by a predicate: `TERNARY(predicate, a, b)`.
    public init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        let (condition, first, second) = (predicate.tree, trueExpression.tree, falseExpression.tree)
        self.init(
            .conditional(condition.syntax, first.syntax, second.syntax),
            [condition.boxes, first.boxes, second.boxes])
    }

    /// Creates an expression for the result of a block, which is called with the object, the values of the arguments,
    /// and the evaluation's dictionary.
    public init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
    ) {
        let trees = (arguments ?? []).map(\.tree)
        var boxes = OpaqueBoxes()
        let reference = boxes.add(Block(expression: { block($0, $1, $2) }))
        self.init(.block(reference, arguments: trees.map(\.syntax)), [boxes] + trees.map(\.boxes))
    }

    /// Returns an expression for any key of a Spotlight item: `ANYKEY`. It can be printed, but only Spotlight evaluates
    /// it.
    public static func expressionForAnyKey() -> NSExpression {
        TreeExpression.make(ExpressionTree(.anyKey))
    }
}
