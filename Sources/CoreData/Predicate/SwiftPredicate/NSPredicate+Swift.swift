public import Foundation
internal import PredicateSyntax

extension FoundationFactory where Self: NSPredicate {
    /// The predicate that Swift's `#Predicate` has made, for a class of managed objects; nil when something in it has no
    /// counterpart in the language of `NSPredicate` with the same answer.
    ///
    /// Key paths must lead to properties of the model, which must have been given to a coordinator or container before. There
    /// is no counterpart for casts, slices, and the number of characters of a text.
    public init?<Input: NSObject>(_ predicate: Foundation.Predicate<Input>) {
        var conversion = PredicateConversion()
        conversion.bind(predicate.variable.key, to: .evaluatedObject)
        guard let syntax = try? conversion.condition(predicate.expression),
            let result = PredicateTree(syntax, boxes: conversion.boxes).makePredicate() as? Self
        else { return nil }
        self = result
    }
}

extension FoundationFactory where Self: NSExpression {
    /// The expression that Swift's `#Expression` has made, for a class of managed objects; nil when something in it has no
    /// counterpart. See `NSPredicate`.
    public init?<Input: NSObject, Output>(_ expression: Foundation.Expression<Input, Output>) {
        var conversion = PredicateConversion()
        conversion.bind(expression.variable.key, to: .evaluatedObject)
        guard let syntax = try? conversion.value(expression.expression),
            let result = TreeExpression.make(ExpressionTree(syntax, boxes: conversion.boxes)) as? Self
        else { return nil }
        self = result
    }
}
