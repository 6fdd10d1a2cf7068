/// The elements of a collection for which a predicate holds: `SUBQUERY(collection, $x, predicate)`.
package struct Subquery: Hashable, Sendable {
    /// The collection.
    package var collection: Expression
    /// The variable that stands for the element within the predicate, without the dollar. It hides a variable of the
    /// same name outside.
    package var variable: String
    /// The condition for an element.
    package var predicate: Predicate

    /// Creates a subquery; the variable's name has no dollar.
    package init(collection: Expression, variable: String, predicate: Predicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
