/// A condition that is true or false for an object: the tree behind `NSPredicate`.
///
/// The cases correspond to Apple's classes: ``comparison(_:)`` is `NSComparisonPredicate`; ``not(_:)``, ``and(_:)`` and
/// ``or(_:)`` are `NSCompoundPredicate`; ``value(_:)`` is `TRUEPREDICATE` and `FALSEPREDICATE`.
///
/// Foundation has a type with this name: a file that imports both uses `PredicateSyntax.Predicate`.
///
/// A tree from ``PredicateParser`` is at most ``PredicateParser/maximumDepth`` levels high, so that traversing,
/// printing, hashing and releasing it (all recursive) need little stack. Trees built in code have no such limit.
package indirect enum Predicate: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case value(Bool)
    /// Two expressions and an operator.
    case comparison(Comparison)
    /// The negation of a predicate; `NSCompoundPredicate` of type 0.
    case not(Predicate)
    /// The conjunction of predicates; `NSCompoundPredicate` of type 1. An empty one is true.
    case and([Predicate])
    /// The disjunction of predicates; `NSCompoundPredicate` of type 2. An empty one is false.
    case or([Predicate])
    /// A predicate that has no text, such as `NSPredicate(block:)`. The parser never creates one.
    case block(OpaqueValue)

    /// Apple's `NSCompoundPredicate.LogicalType`, as archived (Documentation/Formats/CompiledModel.md, 2.8).
    package enum CompoundType: UInt, Hashable, Sendable {
        /// `NOT`.
        case not = 0
        /// `AND`.
        case and = 1
        /// `OR`.
        case or = 2
    }

    /// The logical type if this is a compound predicate; otherwise `nil`.
    package var compoundType: CompoundType? {
        switch self {
        case .not: .not
        case .and: .and
        case .or: .or
        case .value, .comparison, .block: nil
        }
    }

    /// The direct parts of a compound predicate; empty for every other kind.
    package var subpredicates: [Predicate] {
        switch self {
        case .not(let predicate): [predicate]
        case .and(let predicates), .or(let predicates): predicates
        case .value, .comparison, .block: []
        }
    }

    /// Returns a comparison, by default direct and without options: a shorthand for building trees in code.
    package static func compare(
        _ left: Expression,
        using comparisonOperator: ComparisonOperator,
        right: Expression,
        modifier: ComparisonModifier = .direct,
        options: ComparisonOptions = []
    ) -> Predicate {
        .comparison(
            Comparison(
                left: left, comparisonOperator: comparisonOperator, right: right, modifier: modifier, options: options))
    }
}
