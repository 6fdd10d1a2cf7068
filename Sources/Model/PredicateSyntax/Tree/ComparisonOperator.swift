/// The operator of a comparison: Apple's `NSComparisonPredicate.Operator`.
package enum ComparisonOperator: Hashable, Sendable {
    /// `<`
    case lessThan
    /// `<=`, also written `=<`
    case lessThanOrEqual
    /// `>`
    case greaterThan
    /// `>=`, also written `=>`
    case greaterThanOrEqual
    /// `==`, also written `=`
    case equal
    /// `!=`, also written `<>`
    case notEqual
    /// `MATCHES`: the right side is a regular expression for the whole string.
    case matches
    /// `LIKE`: the right side is a pattern in which `?` and `*` are wildcards.
    case like
    /// `BEGINSWITH`
    case beginsWith
    /// `ENDSWITH`
    case endsWith
    /// `IN`: the left side is an element, or a substring, of the right one.
    case `in`
    /// `CONTAINS`: the right side is an element, or a substring, of the left one.
    case contains
    /// `BETWEEN`: the right side holds the inclusive lower and upper bounds.
    case between
    /// A method of the left value, called with the right one. It cannot be written in a format string.
    case customSelector(String)

    /// The operators that have a spelling, in the order of their ``operatorType``.
    package static let spelled: [ComparisonOperator] = [
        .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .matches, .like,
        .beginsWith, .endsWith, .in, .contains, .between,
    ]

    /// Apple's raw value, the `NSOperatorType` of an archive (Documentation/Formats/CompiledModel.md, 2.8 for 0-5 and
    /// 7, Apple's header for the rest).
    package var operatorType: UInt {
        switch self {
        case .lessThan: 0
        case .lessThanOrEqual: 1
        case .greaterThan: 2
        case .greaterThanOrEqual: 3
        case .equal: 4
        case .notEqual: 5
        case .matches: 6
        case .like: 7
        case .beginsWith: 8
        case .endsWith: 9
        case .in: 10
        case .customSelector: 11
        case .contains: 99
        case .between: 100
        }
    }

    /// Creates the operator with Apple's raw value; `nil` for an unknown value and for 11, which also needs a selector.
    package init?(operatorType: UInt) {
        guard let found = ComparisonOperator.spelled.first(where: { $0.operatorType == operatorType }) else {
            return nil
        }
        self = found
    }

    /// The spelling that `predicateFormat` uses; the selector itself for a custom one.
    package var symbol: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        case .customSelector(let selector): selector
        }
    }
}
