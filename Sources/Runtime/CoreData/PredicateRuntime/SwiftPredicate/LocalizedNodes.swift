public import Foundation
internal import PredicateSyntax

// The nodes that `#Predicate` creates for localized string methods. Foundation only has these nodes on Apple's
// platforms, so predicates with them would not compile.

extension PredicateExpressions {
    /// `text.localizedStandardContains(part)`: whether a string contains another, ignoring case and diacritics.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The string that is searched.
        public let root: Root
        /// The string to search for.
        public let other: Other

        /// Creates a search.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Returns whether the string was found.
        ///
        /// - Throws: What the evaluation of the strings throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
        }
    }

    /// `text.caseInsensitiveCompare(other)`: the order of two strings, ignoring case.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates a comparison.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Returns the order of the strings.
        ///
        /// - Throws: What the evaluation of the strings throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
        }
    }

    /// `text.localizedCompare(other)`: the order of two strings by the rules of the user's language.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates a comparison.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Returns the order of the strings.
        ///
        /// - Throws: What the evaluation of the strings throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
        }
    }

    /// Called by the code of `#Predicate`.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// Called by the code of `#Predicate`.
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// Called by the code of `#Predicate`.
    public static func build_localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
        StringLocalizedCompare(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

// MARK: Conversion to the predicate language

extension PredicateExpressions.StringLocalizedStandardContains: PredicateConvertible {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .condition(
            .compare(
                try conversion.value(root), using: .contains, right: try conversion.value(other),
                options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]))
    }
}

/// A comparison of strings that yields their order, for which the predicate language has no value.
protocol OrderNode {
    /// Returns the two strings, and the options for comparing them.
    func parts(
        _ conversion: inout PredicateConversion
    ) throws -> (left: PredicateSyntax.Expression, right: PredicateSyntax.Expression, options: ComparisonOptions)
}

extension PredicateExpressions.StringCaseInsensitiveCompare: OrderNode {
    func parts(
        _ conversion: inout PredicateConversion
    ) throws -> (left: PredicateSyntax.Expression, right: PredicateSyntax.Expression, options: ComparisonOptions) {
        (try conversion.value(root), try conversion.value(other), .caseInsensitive)
    }
}

extension PredicateExpressions.StringLocalizedCompare: OrderNode {
    func parts(
        _ conversion: inout PredicateConversion
    ) throws -> (left: PredicateSyntax.Expression, right: PredicateSyntax.Expression, options: ComparisonOptions) {
        (try conversion.value(root), try conversion.value(other), .localeSensitive)
    }
}

/// A constant order of two values.
private protocol OrderConstant {
    var order: ComparisonResult? { get }
}

extension PredicateExpressions.Value: OrderConstant {
    fileprivate var order: ComparisonResult? { value as? ComparisonResult }
}

extension PredicateConversion {
    /// Returns the equality of two strings' order with a constant, as a comparison of the strings, or `nil` if neither
    /// side is such an order.
    mutating func order(_ left: Any, isEqualTo right: Any) throws -> PredicateSyntax.Predicate? {
        guard let node = (left as? any OrderNode) ?? (right as? any OrderNode) else { return nil }
        let other = left is any OrderNode ? right : left
        guard let order = (other as? any OrderConstant)?.order else {
            throw Unsupported("a sort order that is not a constant")
        }
        let (first, second, options) = try node.parts(&self)
        switch order {
        case .orderedAscending: return .compare(first, using: .lessThan, right: second, options: options)
        case .orderedSame: return .compare(first, using: .equal, right: second, options: options)
        case .orderedDescending: return .compare(first, using: .greaterThan, right: second, options: options)
        }
    }
}
