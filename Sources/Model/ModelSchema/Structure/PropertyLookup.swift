/// The entities of a model by name, with their inherited properties.
package struct PropertyLookup: Sendable {
    package let model: Model
    /// The first entity with each name.
    package let entitiesByName: [String: Entity]
    /// The names of the direct subentities of each entity, in the order of the file.
    package let childNames: [String: [String]]
    /// The first composite type with each name.
    package let compositesByName: [String: CompositeType]
    private let hierarchy: EntityHierarchy

    /// Creates the lookup of a model, in time linear in its size.
    package init(_ model: Model) {
        self.model = model
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        compositesByName = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
        var children: [String: [String]] = [:]
        for entity in model.entities {
            if let parent = entity.parentName { children[parent, default: []].append(entity.name) }
        }
        childNames = children
        hierarchy = EntityHierarchy(model)
    }

    /// Returns an entity and its ancestors, nearest first. An inheritance cycle is followed once.
    package func lineage(of entity: Entity) -> [Entity] {
        guard entity.parentName != nil else { return [entity] }
        var result = [entity]
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let name = next, seen.insert(name).inserted, let ancestor = entitiesByName[name] {
            result.append(ancestor)
            next = ancestor.parentName
        }
        return result
    }

    /// Returns all direct and indirect subentities of an entity, without the entity itself.
    package func descendants(of entity: Entity) -> [Entity] {
        var result: [Entity] = []
        var seen: Set<String> = [entity.name]
        var waiting = childNames[entity.name] ?? []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let child = entitiesByName[name] else { continue }
            result.append(child)
            waiting += childNames[name] ?? []
        }
        return result
    }

    /// Returns whether an entity is another one or one of its ancestors.
    package func isSameOrAncestor(_ ancestor: String, of entity: String) -> Bool {
        hierarchy.isSameOrAncestor(ancestor, of: entity)
    }

    /// Returns a declared or inherited property of an entity.
    package func property(_ name: String, of entity: Entity) -> Property? {
        // The hierarchy contains only the first entity with a name; a second one is a separate error.
        if entity.origin != entitiesByName[entity.name]?.origin {
            if let found = entity.attributes.first(where: { $0.name == name }) { return .attribute(found) }
            if let found = entity.relationships.first(where: { $0.name == name }) { return .relationship(found) }
        }
        return hierarchy.declaration(of: name, in: entity.name).flatMap(property)
    }

    /// Returns the property that a path such as `address.city` begins with, or `nil` if the entity does not have it, or
    /// a composite attribute on the path lacks the element that follows.
    package func property(atPath path: String, of entity: Entity) -> Property? {
        let names = path.split(separator: ".").map(String.init)
        guard let property = property(names.first ?? path, of: entity) else { return nil }
        guard case .attribute(var attribute) = property else { return property }
        for name in names.dropFirst() {
            guard attribute.type == .composite else { break }
            let type = attribute.compositeName.flatMap { compositesByName[$0] }
            guard let element = type?.attributes.first(where: { $0.name == name }) else { return nil }
            attribute = element
        }
        return property
    }

    /// Returns a property that only a descendant of an entity has.
    package func descendantProperty(_ name: String, of entity: Entity) -> Property? {
        hierarchy.declaration(of: name, below: entity.name).flatMap(property)
    }

    private func property(_ declaration: EntityHierarchy.Declaration) -> Property? {
        let entity = model.entities[declaration.entity]
        if let index = declaration.attribute { return .attribute(entity.attributes[index]) }
        if let index = declaration.relationship { return .relationship(entity.relationships[index]) }
        if let index = declaration.fetchedProperty { return .fetched(entity.fetchedProperties[index]) }
        return nil
    }

    /// Returns the relationship that another one names as its inverse, and the entity that declares it: the destination
    /// or one of its ancestors.
    package func inverse(of relationship: Relationship) -> (relationship: Relationship, entity: Entity)? {
        guard let name = relationship.inverseName, let destination = relationship.destinationName,
            let declaration = hierarchy.declaration(of: name, in: destination, where: { $0.relationship != nil }),
            let index = declaration.relationship
        else { return nil }
        let owner = model.entities[declaration.entity]
        return (owner.relationships[index], owner)
    }
}
