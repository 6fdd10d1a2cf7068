/// Two expressions and the operator between them: the values of an `NSComparisonPredicate`.
package struct Comparison: Hashable, Sendable {
    /// The expression before the operator.
    package var left: Expression
    /// What is asked of the two values.
    package var comparisonOperator: ComparisonOperator
    /// The expression after the operator.
    package var right: Expression
    /// Whether the left side is one value or a collection of which any or all must match.
    package var modifier: ComparisonModifier
    /// How strings are compared.
    package var options: ComparisonOptions

    /// Creates a comparison; direct and without options unless told otherwise.
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

    /// Takes Apple's bit set; unknown bits are kept, but not printed.
    package init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// `[c]`: upper and lower case are the same.
    package static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: letters are the same with and without diacritics.
    package static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: the strings are already normalized, compare their bytes.
    package static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`: compare by the rules of the user's locale.
    package static let localeSensitive = ComparisonOptions(rawValue: 8)

    /// The options with their letters, in the order in which they are printed (`[cd]` is Apple's; the place of `n` and
    /// `l` after them is a guess).
    static let letters: [(letter: Unicode.Scalar, option: ComparisonOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
    ]
}
