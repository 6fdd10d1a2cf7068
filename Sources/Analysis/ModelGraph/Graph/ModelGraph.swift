/// A model as a graph: entities as boxes, inheritance and relationships as lines between them.
///
/// It describes the content of a picture, but not its layout. The order is that of the model, so that the same model
/// always produces the same picture.
package struct ModelGraph: Hashable, Sendable {
    /// The title of the picture.
    package var title: String
    /// The boxes. Lines refer to them by index.
    package var entities: [GraphEntity]
    /// The lines from parents to the entities that inherit from them.
    package var inheritances: [GraphInheritance]
    /// The lines between related entities; one for a relationship and its inverse.
    package var relationships: [GraphRelationship]

    /// Creates an empty graph.
    package init(title: String) {
        self.title = title
        entities = []
        inheritances = []
        relationships = []
    }
}

/// A line from a parent to a subentity.
package struct GraphInheritance: Hashable, Sendable {
    /// The index of the parent.
    package var parent: Int
    /// The index of the subentity.
    package var child: Int

    /// Creates a line.
    package init(parent: Int, child: Int) {
        self.parent = parent
        self.child = child
    }
}
