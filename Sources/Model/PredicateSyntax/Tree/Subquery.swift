/// The elements of a collection for which a predicate holds: `SUBQUERY(collection, $x, predicate)`.
package struct Subquery: Hashable, Sendable {
    package var collection: Expression
    /// The name of the variable that stands for the element within the predicate, without the dollar sign. It shadows
    /// an outer variable with the same name.
    package var variable: String
    /// The condition for an element.
    package var predicate: Predicate

    /// Creates a subquery. The variable's name has no dollar sign.
    package init(collection: Expression, variable: String, predicate: Predicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
