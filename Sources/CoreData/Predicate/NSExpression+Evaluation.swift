public import Foundation

extension FoundationFactory where Self: NSExpression {
    /// Returns the expression's value for an object.
    ///
    /// Numbers are `NSNumber`, so that Swift casts them to every type of number that holds them.
    ///
    /// - Parameters:
    ///   - object: the object that key paths begin at, `SELF`.
    ///   - context: values for variables by their names without `$`; assignments (`$x := 1`) and blocks may add to it.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        guard let expression = treeExpression else { return self }
        return expression.evaluator.value(with: object, context: context)
    }
}
