// Bound variables, as in fetch request templates (`uuid == $UUID`) and fetched properties (`$FETCH_SOURCE`).

extension ExpressionTraversal {
    /// The names of the variables that need a value from outside, which are all except those that an enclosing
    /// `SUBQUERY` declares. Each is listed once, in the order of first use.
    package var freeVariables: [String] {
        var list = OrderedCollector<String>()
        _ = rewritten([]) { (expression: Expression, bound: BoundVariables) -> Expression in
            list.add(expression.freeVariable(bound))
            return expression
        }
        return list.values
    }

    /// Returns the tree with variables replaced, like Apple's `withSubstitutionVariables(_:)`.
    ///
    /// A variable that a `SUBQUERY` declares is not replaced within it, and neither is a variable for which the
    /// function returns `nil`; ``freeVariables`` lists the remaining ones.
    /// - Throws: Any error of the function.
    package func substitutingVariables<Failure: Error>(
        _ value: (String) throws(Failure) -> Expression?
    ) throws(Failure) -> Self {
        try rewritten([]) { (expression: Expression, bound: BoundVariables) throws(Failure) -> Expression in
            guard let name = expression.freeVariable(bound) else { return expression }
            return try value(name) ?? expression
        }
    }
}

extension Expression {
    /// Returns the variable's name if the expression is a variable that no enclosing subquery declares.
    fileprivate func freeVariable(_ bound: BoundVariables) -> String? {
        guard case .variable(let name) = self, !bound.contains(name) else { return nil }
        return name
    }
}
