internal import Foundation
internal import PredicateSyntax

// Values, properties and arithmetic.

extension PredicateExpressions.Variable: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard let expression = conversion.variables[key] else {
            throw PredicateConversion.Unsupported("an unbound variable")
        }
        return .value(expression)
    }
}

extension PredicateExpressions.Value: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if let flag = value as? Bool { return .condition(.value(flag)) }
        return .value(try conversion.constant(value))
    }
}

extension PredicateExpressions.KeyPath: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let operand = try conversion.value(root)
        if let kind {
            if conversion.resolver != nil, kind == .collectionFirst || kind == .bidirectionalCollectionLast {
                throw UnsupportedPredicate("\(keyPath)", isKeyPath: true)
            }
            return try converted(kind, operand)
        }
        switch keyPath as AnyKeyPath {
        case \NSSet.count, \NSOrderedSet.count, \NSArray.count: return .value(operand.following("@count"))
        default: break
        }
        return .value(try conversion.property(keyPath, of: operand))
    }

    private func converted(
        _ kind: CommonKeyPathKind, _ operand: PredicateSyntax.Expression
    ) throws -> ConvertedExpression {
        if Root.Output.self is any StringProtocol.Type {
            // The language counts UTF-16 code units, Swift counts characters.
            guard kind == .collectionIsEmpty else { throw PredicateConversion.Unsupported("characters of a text") }
            return .condition(.compare(operand, using: .equal, right: .string("")))
        }
        try PredicateConversion.requireList(Root.Output.self)
        switch kind {
        case .collectionCount: return .value(operand.following("@count"))
        case .collectionIsEmpty:
            return .condition(.compare(operand.following("@count"), using: .equal, right: .integer(0)))
        case .collectionFirst: return .value(.element(of: operand, at: .first))
        case .bidirectionalCollectionLast: return .value(.element(of: operand, at: .last))
        @unknown default: throw PredicateConversion.Unsupported("\(kind)")
        }
    }
}

extension PredicateSyntax.Expression {
    /// Returns the expression followed by keys.
    func following(_ keys: DottedKeyPath) -> PredicateSyntax.Expression {
        self == .evaluatedObject ? .key(keys) : appending(keys)
    }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let (left, right) = (try conversion.value(lhs), try conversion.value(rhs))
        switch op {
        case .add: return .value(.call("add:to:", left, right))
        case .subtract: return .value(.call("from:subtract:", left, right))
        case .multiply: return .value(.call("multiply:by:", left, right))
        @unknown default: throw PredicateConversion.Unsupported("\(op)")
        }
    }
}

extension PredicateExpressions.UnaryMinus: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.call("multiply:by:", try conversion.value(wrapped), .integer(-1)))
    }
}

extension PredicateExpressions.IntDivision: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.call("divide:by:", try conversion.value(lhs), try conversion.value(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.call("modulus:by:", try conversion.value(lhs), try conversion.value(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.call("divide:by:", try conversion.value(lhs), try conversion.value(rhs)))
    }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard
            let inner =
                (expression as? PredicateExpressions.Value<Foundation.Expression<repeat (each Input).Output, Output>>)?
                .value
        else { throw PredicateConversion.Unsupported("an expression that is not a constant") }
        for (variable, value) in repeat (each inner.variable, each input) {
            conversion.bind(variable.key, to: try conversion.value(value))
        }
        return try conversion.convert(inner.expression)
    }
}
