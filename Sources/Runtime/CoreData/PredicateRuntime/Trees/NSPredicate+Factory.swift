public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

extension FoundationFactory where Self: NSPredicate {
    private init(tree: PredicateTree) {
        guard let result = tree.makePredicate() as? Self else {
            misuse(
                "NSInvalidArgumentException",
                "“\(tree.format)” is not an instance of \(Self.self): use NSPredicate(format:) for it")
        }
        self = result
    }

    /// Creates a predicate from a format string, with arguments in place of `%@`, `%K`, `%d` and so on.
    ///
    /// Traps with the position if the format is not a valid predicate, where Apple's framework raises an exception.
    public init(format predicateFormat: String, _ args: Any?...) {
        self.init(tree: FormatArguments.predicate(predicateFormat, args))
    }

    /// Creates a predicate from a format string, with the arguments of an array in place of `%@`, `%K`, `%d` and so on.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        // Without a conversion, which would turn an empty optional into nil.
        self.init(tree: FormatArguments.predicate(predicateFormat, (arguments ?? []).map { .some($0) }))
    }
}

extension NSPredicate {
    /// Returns the predicate with values in place of its variables. Traps, where Apple's framework raises an exception,
    /// if a variable has no value.
    ///
    /// - Parameter variables: The values by name, without `$`.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let tree = tree
        var boxes = tree.boxes
        let syntax = tree.syntax.substitutingVariables { (name: String) -> PredicateSyntax.Expression? in
            guard let value = variables[name] else { return nil }
            if let expression = value as? NSExpression {
                boxes.add(expression.tree.boxes)
                return expression.tree.syntax
            }
            return .constant(boxes.constant(value))
        }
        if let missing = syntax.freeVariables.first {
            misuse(
                "NSInvalidArgumentException",
                "Can't get value for '\(missing)' in bindings \(variables.keys.sorted()), for the predicate \(tree.format)"
            )
        }
        guard let result = PredicateTree(syntax, boxes: boxes).makePredicate() as? Self else {
            misuse("NSInvalidArgumentException", "“\(tree.format)” has no variables")
        }
        return result
    }
}
