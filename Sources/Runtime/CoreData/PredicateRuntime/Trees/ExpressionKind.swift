public import Foundation

/// Provides the type of an expression's kind without a deprecation warning, as `FoundationNames` does for classes.
public protocol ExpressionKindNaming {
    /// `NSExpression.ExpressionType`.
    associatedtype Kind
    /// Never called.
    static func kind() -> Kind?
}

/// Provides `NSExpression.ExpressionType`, which Foundation on Linux marks as deprecated. Only used by
/// `expressionType`.
public enum ExpressionKindName: ExpressionKindNaming {
    /// Only provides a type. Returns `nil`.
    @available(*, deprecated, message: "Only names a type")
    public static func kind() -> Foundation.NSExpression.ExpressionType? { nil }
}
