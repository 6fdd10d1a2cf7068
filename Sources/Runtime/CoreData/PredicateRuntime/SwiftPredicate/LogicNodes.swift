internal import Foundation
internal import PredicateSyntax

// Logic and comparisons.

extension PredicateExpressions.Conjunction: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(.and([try conversion.condition(lhs), try conversion.condition(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(.or([try conversion.condition(lhs), try conversion.condition(rhs)]))
    }
}

extension PredicateExpressions.Negation: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(.not(try conversion.condition(wrapped)))
    }
}

extension PredicateExpressions.Equal: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if let condition = try conversion.order(lhs, isEqualTo: rhs) { return .condition(condition) }
        return .condition(.compare(try conversion.value(lhs), using: .equal, right: try conversion.value(rhs)))
    }
}

extension PredicateExpressions.NotEqual: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if let condition = try conversion.order(lhs, isEqualTo: rhs) { return .condition(.not(condition)) }
        return .condition(.compare(try conversion.value(lhs), using: .notEqual, right: try conversion.value(rhs)))
    }
}

extension PredicateExpressions.Comparison: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let symbol: ComparisonOperator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            @unknown default: throw PredicateConversion.Unsupported("\(op)")
            }
        return .condition(.compare(try conversion.value(lhs), using: symbol, right: try conversion.value(rhs)))
    }
}

extension PredicateExpressions.Conditional: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let test = try conversion.condition(test)
        let (first, second) = (try conversion.convert(trueBranch), try conversion.convert(falseBranch))
        guard case .condition = first, case .condition = second else {
            return .value(.conditional(test, first.value, second.value))
        }
        return .condition(.or([.and([test, first.condition]), .and([.not(test), second.condition])]))
    }
}

// MARK: Optionals

extension PredicateExpressions.NilLiteral: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression { .value(.constant(.null)) }
}

extension PredicateExpressions.ForcedUnwrap: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard conversion.resolver == nil else {
            throw UnsupportedPredicate("the operator ForcedUnwrap (`!`) is not supported; use `??` or `if let`")
        }
        return try conversion.convert(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let operand = try conversion.value(wrapped)
        conversion.bind(variable.key, to: operand)
        let exists = PredicateSyntax.Predicate.compare(operand, using: .notEqual, right: .constant(.null))
        switch try conversion.convert(transform) {
        // A key path through nil is nil anyway.
        case .value(let value) where value == operand || value.isPath(from: operand): return .value(value)
        case .value(let value): return .value(.conditional(exists, value, .constant(.null)))
        case .condition(let condition): return .chained(exists: exists, condition)
        case .chained(let matchesToo, let condition):
            return .chained(exists: .and([exists, matchesToo]), condition)
        }
    }
}

extension PredicateExpressions.NilCoalesce: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let (first, second) = (try conversion.convert(lhs), try conversion.convert(rhs))
        guard case .chained(let exists, let condition) = first else {
            let exists = PredicateSyntax.Predicate.compare(first.value, using: .notEqual, right: .constant(.null))
            return .value(.conditional(exists, first.value, second.value))
        }
        switch second.condition {
        case .value(false): return .condition(.and([exists, condition]))
        case .value(true): return .condition(.or([.not(exists), condition]))
        case let other: return .condition(.or([.and([exists, condition]), .and([.not(exists), other])]))
        }
    }
}

extension PredicateSyntax.Expression {
    /// Returns whether this is a key path without operators that begins with another expression.
    fileprivate func isPath(from other: PredicateSyntax.Expression) -> Bool {
        guard case .keyPath(let path) = self, path.keyPath.collectionOperatorIndex == nil else { return false }
        if other == .evaluatedObject { return path.startsAtEvaluatedObject }
        if path.operand == other { return true }
        guard case .keyPath(let begin) = other, begin.operand == path.operand else { return false }
        return path.keyPath.keys.starts(with: begin.keyPath.keys)
    }
}

// MARK: Types

extension PredicateExpressions.ConditionalCast: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if conversion.resolver?.entityNames(of: Desired.self) != nil {
            let operand = try conversion.value(input)
            let isInstance = try conversion.isInstance(operand, of: Desired.self)
            return .value(.conditional(isInstance, operand, .constant(.null)))
        }
        guard Input.Output.self == Desired.self else { throw PredicateConversion.Unsupported("as?") }
        return try conversion.convert(input)
    }
}

extension PredicateExpressions.ForceCast: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard Input.Output.self == Desired.self else { throw PredicateConversion.Unsupported("as!") }
        return try conversion.convert(input)
    }
}

extension PredicateExpressions.TypeCheck: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if conversion.resolver?.entityNames(of: Desired.self) != nil {
            return .condition(try conversion.isInstance(try conversion.value(input), of: Desired.self))
        }
        guard Input.Output.self == Desired.self else { throw PredicateConversion.Unsupported("is") }
        return .condition(.value(true))
    }
}
