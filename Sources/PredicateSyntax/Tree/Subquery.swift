/// The elements of a collection for which a predicate holds: `SUBQUERY(collection, $x, predicate)`.
public struct Subquery: Hashable, Sendable {
    /// The collection.
    public var collection: Expression
    /// The variable that stands for the element within the predicate, without the dollar. It hides a variable of the
    /// same name outside.
    public var variable: String
    /// The condition for an element.
    public var predicate: Predicate

    /// Makes a subquery; the variable's name has no dollar.
    public init(collection: Expression, variable: String, predicate: Predicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
