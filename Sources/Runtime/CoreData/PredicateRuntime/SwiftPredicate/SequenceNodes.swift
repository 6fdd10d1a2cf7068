internal import Foundation
internal import PredicateSyntax

// Collections, strings and ranges.

extension PredicateExpressions.SequenceContains: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let (collection, element) = (try conversion.value(sequence), try conversion.value(element))
        if LHS.Output.self is any StringProtocol.Type {
            return .condition(.compare(collection, using: .contains, right: element))
        }
        try PredicateConversion.requireList(LHS.Output.self)
        return .condition(.compare(element, using: .in, right: collection))
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let found = try conversion.subquery(sequence, type: LHS.Output.self, variable: variable.key) {
            try $0.condition(test)
        }
        return .condition(.compare(found.following("@count"), using: .greaterThan, right: .integer(0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let found = try conversion.subquery(sequence, type: LHS.Output.self, variable: variable.key) {
            .not(try $0.condition(test))
        }
        return .condition(.compare(found.following("@count"), using: .equal, right: .integer(0)))
    }
}

extension PredicateExpressions.Filter: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(
            try conversion.subquery(sequence, type: LHS.Output.self, variable: variable.key) {
                try $0.condition(filter)
            })
    }
}

extension PredicateConversion {
    /// Checks that a value has elements that the language knows.
    static func requireList(_ type: Any.Type) throws {
        if type is any StringProtocol.Type { throw Unsupported("characters of a text") }
        if type == Data.self { throw Unsupported("bytes of data") }
    }

    fileprivate mutating func subquery(
        _ sequence: Any, type: Any.Type, variable: PredicateExpressions.VariableID,
        condition: (inout PredicateConversion) throws -> PredicateSyntax.Predicate
    ) throws -> PredicateSyntax.Expression {
        try Self.requireList(type)
        let collection = try value(sequence)
        let name = bindElement(variable)
        return .subquery(Subquery(collection: collection, variable: name, predicate: try condition(&self)))
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try PredicateConversion.requireList(Elements.Output.self)
        return .value(try conversion.value(elements).following("@min.self"))
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try PredicateConversion.requireList(Elements.Output.self)
        return .value(try conversion.value(elements).following("@max.self"))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard Index.Output.self == Int.self else { throw PredicateConversion.Unsupported("an index of a text") }
        try PredicateConversion.requireList(Wrapped.Output.self)
        return .value(.element(of: try conversion.value(wrapped), at: .expression(try conversion.value(index))))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.element(of: try conversion.value(wrapped), at: .expression(try conversion.value(key))))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let element = PredicateSyntax.Expression.element(
            of: try conversion.value(wrapped), at: .expression(try conversion.value(key)))
        return .value(
            .conditional(
                .compare(element, using: .notEqual, right: .constant(.null)), element, try conversion.value(`default`)))
    }
}

// MARK: Strings

extension PredicateExpressions.CollectionContainsCollection: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(try conversion.text(base, comparison: .contains, other: other, type: Base.Output.self))
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(try conversion.text(base, comparison: .beginsWith, other: prefix, type: Base.Output.self))
    }
}

extension PredicateConversion {
    /// Returns a comparison of two strings. Swift finds an empty string in every string; the predicate
    /// language finds it in none.
    fileprivate mutating func text(
        _ base: Any, comparison: ComparisonOperator, other: Any, type: Any.Type
    ) throws -> PredicateSyntax.Predicate {
        guard type is any StringProtocol.Type else { throw Unsupported("parts of a list") }
        let (text, part) = (try value(base), try value(other))
        switch part {
        case .string(""): return .value(true)
        case .constant: return .compare(text, using: comparison, right: part)
        default:
            return .or([
                .compare(part, using: .equal, right: .string("")), .compare(text, using: comparison, right: part),
            ])
        }
    }
}

extension PredicateExpressions.StringContainsRegex: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard let pattern = (regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex>)?.value else {
            throw PredicateConversion.Unsupported("a regular expression that is not a constant")
        }
        // The operator matches the whole string.
        let whole = "[\\s\\S]*(?:\(pattern.stringRepresentation))[\\s\\S]*"
        return .condition(.compare(try conversion.value(subject), using: .matches, right: .string(whole)))
    }
}

// MARK: Ranges

extension PredicateExpressions.Range: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.aggregate([try conversion.value(lower), try conversion.value(upper)]))
    }
}

extension PredicateExpressions.ClosedRange: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .value(.aggregate([try conversion.value(lower), try conversion.value(upper)]))
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let element = try conversion.value(element)
        guard let type = RangeExpression.Output.self as? any BoundedRange.Type else {
            throw PredicateConversion.Unsupported("\(RangeExpression.Output.self)")
        }
        let lower, upper: PredicateSyntax.Expression?
        if let range = (range as? PredicateExpressions.Value<RangeExpression.Output>)?.value as? any BoundedRange {
            let bounds = range.bounds
            lower = try bounds.lower.map { try conversion.constant($0) }
            upper = try bounds.upper.map { try conversion.constant($0) }
        } else if case .aggregate(let bounds) = try conversion.value(range), bounds.count == 2 {
            (lower, upper) = (bounds[0], bounds[1])
        } else {
            throw PredicateConversion.Unsupported("a range that is computed")
        }
        if let lower, let upper, type.includesUpper {
            return .condition(.compare(element, using: .between, right: .aggregate([lower, upper])))
        }
        let conditions = [
            lower.map { PredicateSyntax.Predicate.compare(element, using: .greaterThanOrEqual, right: $0) },
            upper.map { .compare(element, using: type.includesUpper ? .lessThanOrEqual : .lessThan, right: $0) },
        ].compactMap { $0 }
        return .condition(conditions.count == 1 ? conditions[0] : .and(conditions))
    }
}

/// Swift's ranges, with bounds of any type.
private protocol BoundedRange {
    static var includesUpper: Bool { get }
    var bounds: (lower: Any?, upper: Any?) { get }
}

extension Range: BoundedRange {
    static var includesUpper: Bool { false }
    var bounds: (lower: Any?, upper: Any?) { (lowerBound, upperBound) }
}

extension ClosedRange: BoundedRange {
    static var includesUpper: Bool { true }
    var bounds: (lower: Any?, upper: Any?) { (lowerBound, upperBound) }
}

extension PartialRangeFrom: BoundedRange {
    static var includesUpper: Bool { true }
    var bounds: (lower: Any?, upper: Any?) { (lowerBound, nil) }
}

extension PartialRangeThrough: BoundedRange {
    static var includesUpper: Bool { true }
    var bounds: (lower: Any?, upper: Any?) { (nil, upperBound) }
}

extension PartialRangeUpTo: BoundedRange {
    static var includesUpper: Bool { false }
    var bounds: (lower: Any?, upper: Any?) { (nil, upperBound) }
}
