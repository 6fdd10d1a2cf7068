internal import Foundation
internal import PredicateSyntax

/// Turns Swift's predicates and expressions into trees of the predicate language.
///
/// What the language cannot say with the same answer is refused: the number of characters of a text, which Swift counts
/// differently, casts, slices, properties that are not the model's. An answer that nil may change is said with care for nil: an
/// optional chain gives nil as soon as one of its parts is nil, and `??` says what that means.
struct PredicateConversion {
    /// Why something cannot be turned.
    struct Unsupported: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }

    /// What variables of closures stand for.
    private(set) var variables: [PredicateExpressions.VariableID: PredicateSyntax.Expression] = [:]
    private(set) var boxes = OpaqueBoxes()
    private var names = 0

    /// Lets a variable stand for an expression.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: PredicateSyntax.Expression) {
        variables[variable] = expression
    }

    /// Lets a variable stand for the element of a subquery, and gives the name of that.
    mutating func bindElement(_ variable: PredicateExpressions.VariableID) -> String {
        names += 1
        let name = "element\(names)"
        bind(variable, to: .variable(name))
        return name
    }

    /// Returns the meaning of a part of a Swift predicate.
    mutating func convert(_ expression: Any) throws -> ConvertedExpression {
        guard let node = expression as? any PredicateConvertible else {
            throw Unsupported("\(type(of: expression))")
        }
        return try node.converted(&self)
    }

    /// Returns a part as a value.
    mutating func value(_ expression: Any) throws -> PredicateSyntax.Expression { try convert(expression).value }

    /// Returns a part as a condition.
    mutating func condition(_ expression: Any) throws -> PredicateSyntax.Predicate { try convert(expression).condition }

    /// Returns a value of Swift's as a constant.
    mutating func constant(_ value: Any?) throws -> PredicateSyntax.Expression {
        guard let value = ValueConversion.unwrapped(value) else { return .constant(.null) }
        guard Self.isKnown(value) else { throw Unsupported("a value of the type \(type(of: value))") }
        if let character = value as? Character { return .string(String(character)) }
        return .constant(boxes.constant(value))
    }

    /// Returns whether predicates know what to do with a value.
    private static func isKnown(_ value: Any) -> Bool {
        switch value {
        case is String, is Substring, is Character, is any BinaryInteger, is any BinaryFloatingPoint, is Bool,
            is Decimal,
            is Date, is UUID, is Data, is URL:
            return true
        case let list as [Any]:
            return list.allSatisfy { element in ValueConversion.unwrapped(element).map(isKnown) ?? true }
        case let set as Set<AnyHashable>:
            return set.allSatisfy { element in ValueConversion.unwrapped(element.base).map(isKnown) ?? true }
        case let dictionary as [AnyHashable: Any]:
            return dictionary.allSatisfy { isKnown($0.key.base) && isKnown($0.value) }
        // Foundation boxes any value as an object when it is asked for one.
        default: return type(of: value) is NSObject.Type
        }
    }
}

/// A part of a Swift predicate that the predicate language knows.
protocol PredicateConvertible {
    /// Returns what it says, in the predicate language.
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression
}

/// What a part of a Swift predicate says, in the predicate language.
enum ConvertedExpression {
    /// A value; also a Boolean.
    case value(PredicateSyntax.Expression)
    /// A condition.
    case condition(PredicateSyntax.Predicate)
    /// A condition in an optional chain: nil unless something is there.
    case chained(isThere: PredicateSyntax.Predicate, PredicateSyntax.Predicate)

    /// As a value.
    var value: PredicateSyntax.Expression {
        switch self {
        case .value(let value): value
        case .condition(.value(let flag)): .constant(.boolean(flag))
        case .condition(let condition):
            .conditional(condition, .constant(.boolean(true)), .constant(.boolean(false)))
        case .chained(let isThere, let condition):
            .conditional(isThere, ConvertedExpression.condition(condition).value, .constant(.null))
        }
    }

    /// As a condition. One that is nil is not met.
    var condition: PredicateSyntax.Predicate {
        switch self {
        case .value(.constant(.boolean(let flag))): .value(flag)
        case .value(let value): .compare(value, .equal, .constant(.boolean(true)))
        case .condition(let condition): condition
        case .chained(let isThere, let condition): .and([isThere, condition])
        }
    }
}
