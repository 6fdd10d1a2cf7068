internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// Converts Swift's predicates and expressions to trees of the predicate language.
///
/// Parts that the language cannot express with the same result are rejected: the number of characters of a string,
/// which Swift counts differently, casts, slices, and properties that are not in the model. `nil` is handled as in
/// Swift: an optional chain is `nil` if one of its parts is `nil`, and `??` provides a value for that.
struct PredicateConversion {
    /// The reason why a part cannot be converted.
    struct Unsupported: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }

    /// The expressions that variables of closures stand for.
    private(set) var variables: [PredicateExpressions.VariableID: PredicateSyntax.Expression] = [:]
    private(set) var boxes = OpaqueBoxes()
    private var names = 0
    /// The meaning of key paths and constants, if the root class is not a managed object.
    var resolver: (any PredicateResolver)?

    /// Binds a variable to an expression.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: PredicateSyntax.Expression) {
        variables[variable] = expression
    }

    /// Binds a variable to the element of a subquery, and returns the element's name.
    mutating func bindElement(_ variable: PredicateExpressions.VariableID) -> String {
        names += 1
        let name = "element\(names)"
        bind(variable, to: .variable(name))
        return name
    }

    /// Converts a part of a Swift predicate.
    mutating func convert(_ expression: Any) throws -> ConvertedExpression {
        guard let node = expression as? any PredicateConvertible else {
            throw Unsupported("\(type(of: expression))")
        }
        return try node.converted(&self)
    }

    /// Converts a part to a value.
    mutating func value(_ expression: Any) throws -> PredicateSyntax.Expression { try convert(expression).value }

    /// Converts a part to a condition.
    mutating func condition(_ expression: Any) throws -> PredicateSyntax.Predicate { try convert(expression).condition }

    /// Converts a Swift value to a constant.
    mutating func constant(_ value: Any?) throws -> PredicateSyntax.Expression {
        guard var value = Unwrapping.value(value) else { return .constant(.null) }
        if let resolver { value = try resolver.constant(value) }
        guard Self.isKnown(value) else { throw Unsupported("a value of the type \(type(of: value))") }
        if let character = value as? Character { return .string(String(character)) }
        return .constant(boxes.constant(value))
    }

    /// Returns whether predicates support a value.
    private static func isKnown(_ value: Any) -> Bool {
        switch value {
        case is String, is Substring, is Character, is any BinaryInteger, is any BinaryFloatingPoint, is Bool,
            is Decimal,
            is Date, is UUID, is Data, is URL:
            return true
        case let list as [Any]:
            return list.allSatisfy { element in Unwrapping.value(element).map(isKnown) ?? true }
        case let set as Set<AnyHashable>:
            return set.allSatisfy { element in Unwrapping.value(element.base).map(isKnown) ?? true }
        case let dictionary as [AnyHashable: Any]:
            return dictionary.allSatisfy { isKnown($0.key.base) && isKnown($0.value) }
        // Foundation boxes any value that is cast to an object.
        default: return type(of: value) is NSObject.Type
        }
    }
}

/// A part of a Swift predicate that can be converted to the predicate language.
protocol PredicateConvertible {
    /// Returns the part in the predicate language.
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression
}

/// A part of a Swift predicate, converted to the predicate language.
enum ConvertedExpression {
    /// A value, including Booleans.
    case value(PredicateSyntax.Expression)
    case condition(PredicateSyntax.Predicate)
    /// A condition in an optional chain: `nil` unless another condition holds.
    case chained(exists: PredicateSyntax.Predicate, PredicateSyntax.Predicate)

    /// The part as a value.
    var value: PredicateSyntax.Expression {
        switch self {
        case .value(let value): value
        case .condition(.value(let flag)): .constant(.boolean(flag))
        case .condition(let condition):
            .conditional(condition, .constant(.boolean(true)), .constant(.boolean(false)))
        case .chained(let exists, let condition):
            .conditional(exists, ConvertedExpression.condition(condition).value, .constant(.null))
        }
    }

    /// The part as a condition, which is `false` if the value is `nil`.
    var condition: PredicateSyntax.Predicate {
        switch self {
        case .value(.constant(.boolean(let flag))): .value(flag)
        case .value(let value): .compare(value, using: .equal, right: .constant(.boolean(true)))
        case .condition(let condition): condition
        case .chained(let exists, let condition): .and([exists, condition])
        }
    }
}
