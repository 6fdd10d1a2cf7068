/// A model as a graph: entities as boxes, inheritance and relationships as lines between them.
///
/// It says what a picture shows and nothing of where; the order is that of the model, so that the same model always
/// gives the same picture.
package struct ModelGraph: Hashable, Sendable {
    /// What the picture shows, for people.
    package var title: String
    /// The boxes. Lines name them by their place in this list.
    package var entities: [GraphEntity]
    /// The lines from parents to the entities that inherit from them.
    package var inheritances: [GraphInheritance]
    /// The lines between related entities; one for a relationship and its inverse.
    package var relationships: [GraphRelationship]

    /// Creates a graph without anything in it.
    package init(title: String) {
        self.title = title
        entities = []
        inheritances = []
        relationships = []
    }
}

/// What an entity inherits from.
package struct GraphInheritance: Hashable, Sendable {
    /// The place of the parent among the graph's entities.
    package var parent: Int
    /// The place of the entity that inherits.
    package var child: Int

    /// Creates a line.
    package init(parent: Int, child: Int) {
        self.parent = parent
        self.child = child
    }
}
