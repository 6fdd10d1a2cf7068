internal import Foundation

/// Compares predicates: their parts, key paths and captured values.
struct PredicateIdentity {
    /// The variables of the two predicates that correspond to each other.
    var variables: [(PredicateExpressions.VariableID, PredicateExpressions.VariableID)]

    /// Returns whether two predicates consist of equal parts.
    static func areEqual<Input>(_ lhs: Predicate<Input>?, _ rhs: Predicate<Input>?) -> Bool {
        guard let lhs, let rhs else { return lhs == nil && rhs == nil }
        var identity = PredicateIdentity(variables: [(lhs.variable.key, rhs.variable.key)])
        return identity.areEqual(lhs.expression, rhs.expression)
    }

    private mutating func areEqual(_ lhs: Any, _ rhs: Any) -> Bool {
        guard type(of: lhs) == type(of: rhs) else { return false }
        if let left = lhs as? PredicateExpressions.VariableID, let right = rhs as? PredicateExpressions.VariableID {
            if let pair = variables.first(where: { $0.0 == left || $0.1 == right }) { return pair == (left, right) }
            variables.append((left, right))
            return true
        }
        if !(lhs is any PredicateExpression), let left = lhs as? any Equatable { return Self.areEqual(left, rhs) }
        let (left, right) = (Mirror(reflecting: lhs), Mirror(reflecting: rhs))
        guard left.children.count == right.children.count else { return false }
        // Values without parts that cannot be compared are of types such as closures.
        if left.children.isEmpty { return left.displayStyle != .class || (lhs as AnyObject) === (rhs as AnyObject) }
        return zip(left.children, right.children).allSatisfy { areEqual($0.value, $1.value) }
    }

    private static func areEqual<T: Equatable>(_ lhs: T, _ rhs: Any) -> Bool { (rhs as? T) == lhs }
}
