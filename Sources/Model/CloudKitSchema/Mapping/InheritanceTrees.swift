package import ModelSchema

/// The inheritance trees that entities of a model belong to. Each tree is one record type.
package struct InheritanceTrees: Sendable {
    /// The mirrored part of a tree.
    package struct Tree: Sendable {
        /// The entity at the top. It may not be mirrored itself.
        package var root: Entity
        /// The mirrored entities and their ancestors, each once.
        package var members: [Entity] = []
    }

    /// The trees, in the order of the first entity of each.
    package private(set) var trees: [Tree] = []
    private let entitiesByName: [String: Entity]
    /// The index of the tree that contains an entity, by name.
    private var treeIndexes: [String: Int] = [:]

    /// Finds the trees of some entities of a model.
    package init(_ entities: [Entity], in model: Model) {
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        for entity in entities { add(entity) }
    }

    private mutating func add(_ entity: Entity) {
        // The ancestors that are in no tree yet, nearest first. An inheritance cycle is followed once.
        var path: [Entity] = []
        var seen: Set<String> = []
        var next: Entity? = entity
        while let current = next, treeIndexes[current.name] == nil, seen.insert(current.name).inserted {
            path.append(current)
            next = current.parentName.flatMap { entitiesByName[$0] }
        }
        guard let top = path.last else { return }
        let index = next.flatMap { treeIndexes[$0.name] } ?? trees.count
        if index == trees.count { trees.append(Tree(root: top)) }
        for member in path.reversed() {
            treeIndexes[member.name] = index
            trees[index].members.append(member)
        }
    }

    /// Returns whether an entity is mirrored, or an ancestor of one that is.
    package func contains(_ entityName: String) -> Bool { treeIndexes[entityName] != nil }

    /// Returns the inverse of a relationship, declared by its destination or an ancestor of it.
    func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverseName,
            var entity = relationship.destinationName.flatMap({ entitiesByName[$0] })
        else { return nil }
        var seen: Set<String> = []
        while seen.insert(entity.name).inserted {
            if let found = entity.relationships.first(where: { $0.name == name }) { return found }
            guard let parent = entity.parentName.flatMap({ entitiesByName[$0] }) else { return nil }
            entity = parent
        }
        return nil
    }
}
