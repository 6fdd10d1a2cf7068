public import Foundation

// Foundation on Linux marks NSExpression and NSComparisonPredicate as deprecated, because its implementations do
// nothing. CoreData makes them work; the aliases remove the deprecation for files that import this module. An alias of
// the same type is not ambiguous with it.

/// Foundation's `NSExpression`, without the deprecation. CoreData implements it.
public typealias NSExpression = FoundationNames.Expression

/// Foundation's `NSComparisonPredicate`, without the deprecation. CoreData implements it.
public typealias NSComparisonPredicate = FoundationNames.Comparison

/// Refers to deprecated types without warnings: the types are inferred from members that are deprecated themselves.
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

/// Refers to classes of Foundation; only used by the aliases above.
public enum FoundationNames: FoundationNaming {
    /// Only determines the type `NSExpression`. Returns `nil`.
    @available(*, deprecated, message: "Only names a type")
    public static func expression() -> Foundation.NSExpression? { nil }

    /// Only determines the type `NSComparisonPredicate`. Returns `nil`.
    @available(*, deprecated, message: "Only names a type")
    public static func comparison() -> Foundation.NSComparisonPredicate? { nil }
}
