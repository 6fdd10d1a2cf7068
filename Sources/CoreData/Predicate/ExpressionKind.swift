public import Foundation

/// Names the type of an expression's kind without a deprecation warning, as `FoundationNames` does for classes.
public protocol ExpressionKindNaming {
    /// `NSExpression.ExpressionType`.
    associatedtype Kind
    /// Never called.
    static func kind() -> Kind?
}

/// Names `NSExpression.ExpressionType`, which Foundation on Linux calls deprecated; of no use but to `expressionType`.
public enum ExpressionKindName: ExpressionKindNaming {
    /// Only names a type; gives nothing.
    @available(*, deprecated, message: "Only names a type")
    public static func kind() -> Foundation.NSExpression.ExpressionType? { nil }
}
