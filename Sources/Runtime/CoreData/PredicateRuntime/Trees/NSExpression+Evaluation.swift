public import Foundation

extension FoundationFactory where Self: NSExpression {
    /// Returns the expression's value for an object.
    ///
    /// Numbers are `NSNumber`, which Swift casts to every numeric type that can represent them.
    ///
    /// - Parameters:
    ///   - object: The object at which key paths begin, `SELF`.
    ///   - context: The values of variables by name, without `$`; assignments (`$x := 1`) and blocks may add to it.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        guard let expression = treeExpression else { return self }
        return expression.evaluator.value(with: object, context: context)
    }
}
