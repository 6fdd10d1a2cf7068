/// A line between two entities: a relationship, together with its inverse if it has one.
package struct GraphRelationship: Hashable, Sendable {
    /// An end of a line: a relationship at its destination.
    package struct End: Hashable, Sendable {
        /// The relationship's name.
        package var name: String
        /// Whether it is a to-many relationship.
        package var isToMany: Bool
        package var isOptional: Bool
        package var isOrdered: Bool
        /// The minimum count that the model specifies; 0 for none.
        package var minimum: Int
        /// The maximum count that the model specifies; 0 for none.
        package var maximum: Int
        /// The difference from another version; `nil` in a picture of one version.
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

        /// The cardinality: `0..1`, `1`, `0..*` or with the limits of the model.
        package var cardinality: String {
            let least = isOptional ? 0 : max(1, minimum)
            guard isToMany else { return least == 0 ? "0..1" : "1" }
            guard maximum > 0 else { return "\(least)..*" }
            return maximum == least ? "\(maximum)" : "\(least)..\(maximum)"
        }

        /// The cardinality of a to-many relationship with limits; otherwise `nil`.
        package var limits: String? {
            isToMany && (maximum > 0 || (minimum > 1 && !isOptional)) ? cardinality : nil
        }
    }

    /// The index of the entity that has the relationship.
    package var source: Int
    /// The index of the destination.
    package var target: Int
    /// The relationship, whose name is written where the line meets `target`.
    package var forward: End
    /// The inverse, from `target` to `source`, or `nil`.
    package var inverse: End?

    /// Creates a line.
    package init(source: Int, target: Int, forward: End, inverse: End?) {
        self.source = source
        self.target = target
        self.forward = forward
        self.inverse = inverse
    }
}
