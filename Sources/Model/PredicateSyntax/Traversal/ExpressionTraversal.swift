// Tree traversal in the order of the text, with each expression before its parts.

/// A predicate or an expression, as a tree of expressions.
package protocol ExpressionTraversal {
    /// Calls a function for every expression in the tree, including those within subqueries.
    func visitExpressions(_ visit: (Expression) -> Void)

    /// Returns the tree with every expression replaced by a function's result, children before their parents.
    ///
    /// - Parameters:
    ///   - bound: The variables of the subqueries that enclose the tree.
    ///   - transform: Returns the replacement of an expression in the scope of such variables.
    func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Self
}

extension ExpressionTraversal {
    /// The key paths in the tree, each once, in the order of first use.
    package var keyPaths: [KeyPathExpression] { collect(\.asKeyPath) }

    /// The names of the variables in the tree, each once, in the order of first use, including uses of subqueries'
    /// variables. See ``freeVariables``.
    package var variables: [String] { collect(\.asVariable) }

    /// The placeholders without arguments, in the order of the text.
    package var placeholders: [Placeholder] { collect(\.asPlaceholder) }

    private func collect<Value: Hashable>(_ value: (Expression) -> Value?) -> [Value] {
        var list = OrderedCollector<Value>()
        visitExpressions { list.add(value($0)) }
        return list.values
    }
}

extension Predicate: ExpressionTraversal {
    /// Calls a function for every expression in the predicate, including those within subqueries.
    package func visitExpressions(_ visit: (Expression) -> Void) {
        switch self {
        case .value, .block: break
        case .comparison(let comparison):
            comparison.left.visitExpressions(visit)
            comparison.right.visitExpressions(visit)
        case .not(let operand):
            operand.visitExpressions(visit)
        case .and(let operands), .or(let operands):
            for operand in operands { operand.visitExpressions(visit) }
        }
    }

    /// Calls a function for this predicate and every subpredicate. Predicates within expressions (subqueries,
    /// `TERNARY`) are not visited.
    package func visitPredicates(_ visit: (Predicate) -> Void) {
        visit(self)
        for predicate in subpredicates { predicate.visitPredicates(visit) }
    }
}

extension Expression: ExpressionTraversal {
    /// Calls a function for this expression and every expression in it, including those within subqueries.
    package func visitExpressions(_ visit: (Expression) -> Void) {
        visit(self)
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(let path): path.operand?.visitExpressions(visit)
        case .function(let call):
            call.operand?.visitExpressions(visit)
            for argument in call.arguments { argument.visitExpressions(visit) }
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right):
            left.visitExpressions(visit)
            right.visitExpressions(visit)
        case .subquery(let subquery):
            subquery.collection.visitExpressions(visit)
            subquery.predicate.visitExpressions(visit)
        case .aggregate(let elements), .block(_, let elements):
            for element in elements { element.visitExpressions(visit) }
        case .conditional(let predicate, let first, let second):
            predicate.visitExpressions(visit)
            first.visitExpressions(visit)
            second.visitExpressions(visit)
        case .fetch(let fetch):
            fetch.request.visitExpressions(visit)
            fetch.context.visitExpressions(visit)
        case .element(let collection, let index):
            collection.visitExpressions(visit)
            if case .expression(let expression) = index { expression.visitExpressions(visit) }
        case .assignment(_, let value): value.visitExpressions(visit)
        case .predicate(let predicate): predicate.visitExpressions(visit)
        case .placeholder(_, let operand): operand?.visitExpressions(visit)
        }
    }

    fileprivate var asKeyPath: KeyPathExpression? {
        guard case .keyPath(let path) = self else { return nil }
        return path
    }

    fileprivate var asVariable: String? {
        guard case .variable(let name) = self else { return nil }
        return name
    }

    fileprivate var asPlaceholder: Placeholder? {
        guard case .placeholder(let placeholder, _) = self else { return nil }
        return placeholder
    }
}

/// Collects distinct values in the order in which they were added.
struct OrderedCollector<Value: Hashable> {
    private(set) var values: [Value] = []
    private var added: Set<Value> = []

    mutating func add(_ value: Value?) {
        if let value, added.insert(value).inserted { values.append(value) }
    }
}
