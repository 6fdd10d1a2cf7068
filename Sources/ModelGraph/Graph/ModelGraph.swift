/// A model as a graph: entities as boxes, inheritance and relationships as lines between them.
///
/// It says what a picture shows and nothing of where; the order is that of the model, so that the same model always
/// gives the same picture.
public struct ModelGraph: Hashable, Sendable {
    /// What the picture shows, for people.
    public var title: String
    /// The boxes. Lines name them by their place in this list.
    public var entities: [GraphEntity]
    /// The lines from parents to the entities that inherit from them.
    public var inheritances: [GraphInheritance]
    /// The lines between related entities; one for a relationship and its inverse.
    public var relationships: [GraphRelationship]

    /// Makes a graph without anything in it.
    public init(title: String) {
        self.title = title
        entities = []
        inheritances = []
        relationships = []
    }
}

/// What an entity inherits from.
public struct GraphInheritance: Hashable, Sendable {
    /// The place of the parent among the graph's entities.
    public var parent: Int
    /// The place of the entity that inherits.
    public var child: Int

    /// Makes a line.
    public init(parent: Int, child: Int) {
        self.parent = parent
        self.child = child
    }
}
