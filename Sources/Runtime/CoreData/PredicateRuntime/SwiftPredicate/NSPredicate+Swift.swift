public import Foundation
internal import PredicateSyntax

extension FoundationFactory where Self: NSPredicate {
    /// Creates a predicate from Swift's `#Predicate` for a class of managed objects. Returns `nil` if a part of it has
    /// no equivalent in the language of `NSPredicate`.
    ///
    /// Key paths must end at properties of a model that a coordinator or container already uses. There is no equivalent
    /// for casts, slices, and the number of characters of a string.
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
    /// Creates an expression from Swift's `#Expression` for a class of managed objects. Returns `nil` if a part of it
    /// has no equivalent. See `NSPredicate`.
    public init?<Input: NSObject, Output>(_ expression: Foundation.Expression<Input, Output>) {
        var conversion = PredicateConversion()
        conversion.bind(expression.variable.key, to: .evaluatedObject)
        guard let syntax = try? conversion.value(expression.expression),
            let result = TreeExpression.make(ExpressionTree(syntax, boxes: conversion.boxes)) as? Self
        else { return nil }
        self = result
    }
}
