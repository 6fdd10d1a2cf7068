/// An object that predicates can order.
package protocol PredicateOrdered: AnyObject {
    /// Returns the order of two objects, or `nil` if they have none; comparisons then do not match.
    func predicateOrder(_ other: any PredicateOrdered) -> ValueOrder?
}
