public import Foundation

/// The arguments of a predicate's format. A `va_list` does not contain the types of its values.
///
/// ```swift
/// func books(_ format: String, _ arguments: CVarArg...) -> NSPredicate {
///     withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
/// }
/// ```
public struct PredicateArgumentList {
    let values: [Any]

    init(_ arguments: [any CVarArg]) {
        values = arguments.map { $0 }
    }
}

/// Calls a closure with a list of arguments for `NSPredicate(format:arguments:)` or `NSExpression(format:arguments:)`.
///
/// Swift's function of the same name is called for closures that use a `CVaListPointer`.
@_disfavoredOverload
public func withVaList<Result>(
    _ args: [any CVarArg], _ body: (PredicateArgumentList) throws -> Result
) rethrows -> Result {
    try body(PredicateArgumentList(args))
}

/// Returns a list of arguments for `NSPredicate(format:arguments:)` or `NSExpression(format:arguments:)`.
///
/// Swift's function of the same name is called where a `CVaListPointer` is needed.
@_disfavoredOverload
public func getVaList(_ args: [any CVarArg]) -> PredicateArgumentList { PredicateArgumentList(args) }

extension FoundationFactory where Self: NSPredicate {
    /// Creates a predicate from a format string and a list of arguments: see `init(format:_:)`.
    public init(format predicateFormat: String, arguments argList: PredicateArgumentList) {
        self.init(format: predicateFormat, argumentArray: argList.values)
    }
}

extension FoundationFactory where Self: NSExpression {
    /// Creates an expression from a format string and a list of arguments: see `init(format:_:)`.
    public init(format expressionFormat: String, arguments argList: PredicateArgumentList) {
        self.init(format: expressionFormat, argumentArray: argList.values)
    }
}
