package import PredicateSyntax

// The parts of predicates and expressions for which the archive of a compiled model has no form
// (Documentation/Formats/CompiledModel.md, 2.8). `ExpressionEncoder` (CompiledModel) writes null for them.

extension PredicateSyntax.Predicate {
    /// The first part that no archive can hold, for messages; `nil` if the predicate can be compiled.
    package var firstUncompilablePart: String? {
        var part: String?
        visitPredicates { predicate in
            if part == nil { part = predicate.ownUncompilablePart }
        }
        visitExpressions { expression in
            if part == nil { part = expression.ownUncompilablePart }
        }
        return part
    }

    fileprivate var ownUncompilablePart: String? {
        switch self {
        case .block: return "a block"
        case .comparison(let comparison):
            guard case .customSelector(let selector) = comparison.comparisonOperator else { return nil }
            return "the operator \(selector)"
        case .not, .and, .or, .value: return nil
        }
    }
}

extension PredicateSyntax.Expression {
    /// The first part that no archive can hold, for messages; `nil` if the expression can be compiled.
    package var firstUncompilablePart: String? {
        var part: String?
        visitExpressions { expression in
            if part == nil { part = expression.ownUncompilablePart }
        }
        return part
    }

    fileprivate var ownUncompilablePart: String? {
        switch self {
        case .subquery(let subquery): subquery.predicate.ownPredicatePart
        case .conditional(let predicate, _, _): predicate.ownPredicatePart
        case .element(_, .expression): nil
        case .element, .block, .fetch, .assignment, .predicate, .placeholder: "“\(predicateFormat)”"
        case .constant, .evaluatedObject, .variable, .keyPath, .function, .union, .intersect, .minus, .aggregate,
            .anyKey:
            nil
        }
    }
}

extension PredicateSyntax.Predicate {
    /// The first subpredicate that no archive can hold. Visiting an expression does not visit the predicates in it.
    fileprivate var ownPredicatePart: String? {
        var part: String?
        visitPredicates { predicate in
            if part == nil { part = predicate.ownUncompilablePart }
        }
        return part
    }
}
