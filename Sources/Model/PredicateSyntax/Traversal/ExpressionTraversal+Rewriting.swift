/// The variables of the subqueries that enclose a node of a tree.
package typealias BoundVariables = [String]

extension ExpressionTraversal {
    /// Returns the tree with every expression replaced by a function's result, children before their parents.
    ///
    /// Keys that follow a key path after a replacement are joined with it, as the parser does.
    /// - Throws: Any error of the function.
    package func mapExpressions<Failure: Error>(
        _ transform: (Expression) throws(Failure) -> Expression
    ) throws(Failure) -> Self {
        try rewritten([]) { (expression: Expression, _: BoundVariables) throws(Failure) -> Expression in
            try transform(expression)
        }
    }

    /// Returns the tree with every key path replaced by a function's result.
    /// - Throws: Any error of the function.
    package func mapKeyPaths<Failure: Error>(
        _ transform: (KeyPathExpression) throws(Failure) -> KeyPathExpression
    ) throws(Failure) -> Self {
        try mapExpressions { (expression: Expression) throws(Failure) -> Expression in
            guard case .keyPath(let path) = expression else { return expression }
            return .keyPath(try transform(path))
        }
    }
}

extension Predicate {
    /// Returns the predicate with every expression replaced by a function's result, children before their parents.
    package func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Predicate {
        switch self {
        case .value, .block: return self
        case .comparison(var comparison):
            comparison.left = try comparison.left.rewritten(bound, transform)
            comparison.right = try comparison.right.rewritten(bound, transform)
            return .comparison(comparison)
        case .not(let operand): return .not(try operand.rewritten(bound, transform))
        case .and(let operands): return .and(try operands.rewritten(bound, transform))
        case .or(let operands): return .or(try operands.rewritten(bound, transform))
        }
    }
}

extension Expression {
    /// Returns the expression with every expression in it, and then itself, replaced by a function's result.
    package func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Expression {
        try transform(try withRewrittenParts(bound, transform), bound)
    }

    /// Delegates large cases to other functions: otherwise the stack frame at every level of the tree would have room
    /// for all cases.
    private func withRewrittenParts<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Expression {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: return self
        case .keyPath(let path): return try path.operand?.rewritten(bound, transform).appending(path.keyPath) ?? self
        case .function(let call): return .function(try call.rewritten(bound, transform))
        case .union, .intersect, .minus: return try withRewrittenOperands(bound, transform)
        case .subquery(let subquery): return .subquery(try subquery.rewritten(bound, transform))
        case .aggregate(let elements): return .aggregate(try elements.rewritten(bound, transform))
        case .block, .conditional, .fetch, .assignment: return try withRewrittenRareParts(bound, transform)
        case .element(let collection, let index):
            return .element(
                of: try collection.rewritten(bound, transform), at: try index.rewritten(bound, transform))
        case .predicate(let predicate): return .predicate(try predicate.rewritten(bound, transform))
        case .placeholder(let placeholder, let operand):
            return .placeholder(placeholder, of: try operand?.rewritten(bound, transform))
        }
    }

    private func withRewrittenOperands<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Expression {
        switch self {
        case .union(let left, let right):
            return .union(try left.rewritten(bound, transform), try right.rewritten(bound, transform))
        case .intersect(let left, let right):
            return .intersect(try left.rewritten(bound, transform), try right.rewritten(bound, transform))
        case .minus(let left, let right):
            return .minus(try left.rewritten(bound, transform), try right.rewritten(bound, transform))
        default: return self
        }
    }

    private func withRewrittenRareParts<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Expression {
        switch self {
        case .block(let value, let arguments):
            return .block(value, arguments: try arguments.rewritten(bound, transform))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                try predicate.rewritten(bound, transform), try first.rewritten(bound, transform),
                try second.rewritten(bound, transform))
        case .fetch(var fetch):
            fetch.request = try fetch.request.rewritten(bound, transform)
            fetch.context = try fetch.context.rewritten(bound, transform)
            return .fetch(fetch)
        case .assignment(let variable, let value):
            return .assignment(variable: variable, value: try value.rewritten(bound, transform))
        default: return self
        }
    }
}

extension FunctionCall {
    fileprivate func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> FunctionCall {
        FunctionCall(
            operand: try operand?.rewritten(bound, transform), selector: selector,
            arguments: try arguments.rewritten(bound, transform))
    }
}

extension Subquery {
    fileprivate func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> Subquery {
        Subquery(
            collection: try collection.rewritten(bound, transform), variable: variable,
            predicate: try predicate.rewritten(bound + [variable], transform))
    }
}

extension ElementIndex {
    fileprivate func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> ElementIndex {
        guard case .expression(let expression) = self else { return self }
        return .expression(try expression.rewritten(bound, transform))
    }
}

extension Array where Element: ExpressionTraversal {
    fileprivate func rewritten<Failure: Error>(
        _ bound: BoundVariables, _ transform: (Expression, BoundVariables) throws(Failure) -> Expression
    ) throws(Failure) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        for tree in self {
            result.append(try tree.rewritten(bound, transform))
        }
        return result
    }
}
