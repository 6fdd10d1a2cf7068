// Bound variables, as in fetch request templates (`uuid == $UUID`) and fetched properties (`$FETCH_SOURCE`).

extension Predicate {
    /// The names of the variables that need a value from outside: all but those that a `SUBQUERY` around them declares.
    /// Each is named once, in the order of their first use.
    package var freeVariables: [String] {
        var list = OrderedCollector<String>()
        _ = rewritten([]) { (expression: Expression, bound: BoundVariables) -> Expression in
            list.add(expression.freeVariable(bound))
            return expression
        }
        return list.values
    }

    /// The predicate with variables replaced, Apple's `withSubstitutionVariables(_:)`.
    ///
    /// A variable that a `SUBQUERY` declares is left alone within it, and so is a variable for which the function gives
    /// nil; what remains can be asked of ``freeVariables``.
    /// - Throws: what the function throws.
    package func substitutingVariables<Failure: Error>(
        _ value: (String) throws(Failure) -> Expression?
    ) throws(Failure) -> Predicate {
        try rewritten([]) { (expression: Expression, bound: BoundVariables) throws(Failure) -> Expression in
            guard let name = expression.freeVariable(bound) else { return expression }
            return try value(name) ?? expression
        }
    }
}

extension Expression {
    /// The names of the variables that need a value from outside: all but those that a `SUBQUERY` around them declares.
    /// Each is named once, in the order of their first use.
    package var freeVariables: [String] {
        var list = OrderedCollector<String>()
        _ = rewritten([]) { (expression: Expression, bound: BoundVariables) -> Expression in
            list.add(expression.freeVariable(bound))
            return expression
        }
        return list.values
    }

    /// The expression with variables replaced; see ``Predicate/substitutingVariables(_:)``.
    /// - Throws: what the function throws.
    package func substitutingVariables<Failure: Error>(
        _ value: (String) throws(Failure) -> Expression?
    ) throws(Failure) -> Expression {
        try rewritten([]) { (expression: Expression, bound: BoundVariables) throws(Failure) -> Expression in
            guard let name = expression.freeVariable(bound) else { return expression }
            return try value(name) ?? expression
        }
    }

    /// The variable's name if the expression is one that no subquery around it declares.
    fileprivate func freeVariable(_ bound: BoundVariables) -> String? {
        guard case .variable(let name) = self, !bound.contains(name) else { return nil }
        return name
    }
}
