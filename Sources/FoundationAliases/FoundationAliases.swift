public import Foundation

// Foundation on Linux calls NSExpression and NSComparisonPredicate deprecated, since its own are hollow. Here they work: the
// aliases say so to everybody who imports this module. An alias of the same type is not ambiguous with it.

/// Foundation's `NSExpression`, which this module fills with life.
public typealias NSExpression = FoundationNames.Expression

/// Foundation's `NSComparisonPredicate`, which this module fills with life.
public typealias NSComparisonPredicate = FoundationNames.Comparison

/// Names deprecated types without warnings: the types are inferred from members that are deprecated themselves.
public protocol FoundationNaming {
    /// `NSExpression`.
    associatedtype Expression
    /// `NSComparisonPredicate`.
    associatedtype Comparison
    /// Never called.
    static func expression() -> Expression?
    /// Never called.
    static func comparison() -> Comparison?
}

/// Names classes of Foundation; of no use but to the aliases above.
public enum FoundationNames: FoundationNaming {
    /// Returns names `NSExpression`; gives nothing.
    @available(*, deprecated, message: "Only names a type")
    public static func expression() -> Foundation.NSExpression? { nil }

    /// Returns names `NSComparisonPredicate`; gives nothing.
    @available(*, deprecated, message: "Only names a type")
    public static func comparison() -> Foundation.NSComparisonPredicate? { nil }
}
