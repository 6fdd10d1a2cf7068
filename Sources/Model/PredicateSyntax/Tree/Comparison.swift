/// Two expressions and the operator between them: the values of an `NSComparisonPredicate`.
package struct Comparison: Hashable, Sendable {
    /// The expression before the operator.
    package var left: Expression
    package var comparisonOperator: ComparisonOperator
    /// The expression after the operator.
    package var right: Expression
    /// Whether the left side is a single value or a collection, any or all of whose elements must match.
    package var modifier: ComparisonModifier
    /// The options for comparing strings.
    package var options: ComparisonOptions

    /// Creates a comparison, by default direct and without options.
    package init(
        left: Expression,
        comparisonOperator: ComparisonOperator,
        right: Expression,
        modifier: ComparisonModifier = .direct,
        options: ComparisonOptions = []
    ) {
        self.left = left
        self.comparisonOperator = comparisonOperator
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}

/// Apple's `NSComparisonPredicate.Modifier`, with its raw values.
package enum ComparisonModifier: UInt, Hashable, Sendable, CaseIterable {
    /// Compare the two values.
    case direct = 0
    /// `ALL`: every element of the left side must match.
    case all = 1
    /// `ANY` or `SOME`: one element of the left side must match. `NONE` is `NOT ANY`.
    case any = 2
}

/// Apple's `NSComparisonPredicate.Options`: the letters in brackets after an operator.
package struct ComparisonOptions: OptionSet, Hashable, Sendable {
    /// The bit set that Apple archives.
    package let rawValue: UInt

    /// Creates options from Apple's bit set; unknown bits are kept, but not printed.
    package init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// `[c]`: case-insensitive.
    package static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: diacritic-insensitive.
    package static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: the strings are already normalized, so that their bytes can be compared.
    package static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`: locale-sensitive.
    package static let localeSensitive = ComparisonOptions(rawValue: 8)

    /// The options with their letters, in the order in which they are printed (`[cd]` is Apple's order; the position of
    /// `n` and `l` after them is a guess).
    static let letters: [(letter: Unicode.Scalar, option: ComparisonOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
    ]
}
