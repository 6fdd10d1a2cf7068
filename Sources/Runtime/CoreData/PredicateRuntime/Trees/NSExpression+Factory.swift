public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

extension FoundationFactory where Self: NSExpression {
    private init(tree: ExpressionTree) {
        guard let result = tree.makeExpression() as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSExpression cannot be made")
        }
        self = result
    }

    /// Creates an expression for the value of a key path from the evaluated object, such as `a.b.@count`.
    public init(forKeyPath keyPath: String) {
        self.init(tree: ExpressionTree(.key(DottedKeyPath(keyPath))))
    }

    /// Creates an expression for a constant value.
    public init(forConstantValue value: Any?) {
        self.init(tree: ExpressionTree(constant: value))
    }

    /// Creates an expression for a value that is provided when the predicate or expression is evaluated: `$name`.
    ///
    /// - Parameter name: The name without `$`.
    public init(forVariable name: String) {
        self.init(tree: ExpressionTree(.variable(name)))
    }

    /// Creates a call of a predefined function, such as `sum:`, `now` or `add:to:`.
    ///
    /// - Parameters:
    ///   - name: The function's name with its colons.
    ///   - arguments: Its arguments: expressions.
    public init(forFunction name: String, arguments: [Any]) {
        let trees = arguments.map { ($0 as? NSExpression)?.tree ?? ExpressionTree(constant: $0) }
        self.init(
            tree: ExpressionTree(
                .function(FunctionCall(selector: name, arguments: trees.map(\.syntax))),
                boxes: OpaqueBoxes(trees.map(\.boxes))))
    }

    /// Creates an expression from a format string, with arguments in place of `%@`, `%K` and so on.
    ///
    /// Traps with the position if the format is not a valid expression, where Apple's framework raises an exception.
    public init(format expressionFormat: String, _ args: Any?...) {
        self.init(tree: FormatArguments.expression(expressionFormat, args))
    }

    /// Creates an expression from a format string, with arguments in place of `%@`, `%K` and so on.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        // Without a conversion, which would turn an empty optional into nil.
        self.init(tree: FormatArguments.expression(expressionFormat, arguments.map { .some($0) }))
    }

    /// Returns the evaluated object: `SELF`.
    public static func expressionForEvaluatedObject() -> NSExpression {
        TreeExpression.make(ExpressionTree(.evaluatedObject))
    }
}
