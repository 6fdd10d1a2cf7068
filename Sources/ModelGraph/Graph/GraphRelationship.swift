/// A line between two entities: a relationship, together with its inverse when it has one.
package struct GraphRelationship: Hashable, Sendable {
    /// What one relationship says of the entity that it leads to.
    package struct End: Hashable, Sendable {
        /// The relationship's name.
        package var name: String
        /// Whether it leads to more than one object.
        package var isToMany: Bool
        /// Whether it may lead to none.
        package var isOptional: Bool
        /// Whether the objects have an order.
        package var isOrdered: Bool
        /// The smallest count that the model states; 0 for none.
        package var minimum: Int
        /// The largest count that the model states; 0 for none.
        package var maximum: Int
        /// How it differs from another version; nil in a picture of one version.
        package var mark: GraphMark?

        /// Creates the end of a required to-one relationship.
        package init(name: String) {
            self.name = name
            isToMany = false
            isOptional = false
            isOrdered = false
            minimum = 0
            maximum = 0
        }

        /// How many objects it leads to, as `0..1`, `1`, `0..*` or with the limits of the model.
        package var cardinality: String {
            let least = isOptional ? 0 : max(1, minimum)
            guard isToMany else { return least == 0 ? "0..1" : "1" }
            guard maximum > 0 else { return "\(least)..*" }
            return maximum == least ? "\(maximum)" : "\(least)..\(maximum)"
        }

        /// What the model says of the count beyond to-one or to-many; nil when it says nothing more.
        package var limits: String? {
            isToMany && (maximum > 0 || (minimum > 1 && !isOptional)) ? cardinality : nil
        }
    }

    /// The place of the entity that has the relationship among the graph's entities.
    package var source: Int
    /// The place of the entity that it leads to.
    package var target: Int
    /// The relationship: what is written where the line meets `target`.
    package var forward: End
    /// The inverse, which leads from `target` to `source`, or nil.
    package var inverse: End?

    /// Creates a line.
    package init(source: Int, target: Int, forward: End, inverse: End?) {
        self.source = source
        self.target = target
        self.forward = forward
        self.inverse = inverse
    }
}
