internal import ModelSchema

/// A model, with its entities and properties by name.
struct MappedModel {
    let model: Model
    let hashes: EntityVersionHashes
    private var indexes: [String: Int] = [:]
    private var children: [String: [String]] = [:]
    /// The declared properties of each entity, by name.
    private let properties: [[String: Property]]

    init(_ model: Model) {
        self.model = model
        hashes = model.versionHashes().entities
        properties = model.entities.map { entity in
            var own: [String: Property] = [:]
            for property in entity.fetchedProperties { own[property.name] = .fetched(property) }
            for relationship in entity.relationships { own[relationship.name] = .relationship(relationship) }
            for attribute in entity.attributes { own[attribute.name] = .attribute(attribute) }
            return own
        }
        for (index, entity) in model.entities.enumerated() where indexes[entity.name] == nil {
            indexes[entity.name] = index
            if let parent = entity.parentName { children[parent, default: []].append(entity.name) }
        }
    }

    func entity(_ name: String) -> Entity? { indexes[name].map { model.entities[$0] } }

    /// Returns the indices of an entity and its ancestors, from the entity up. An inheritance cycle is followed once.
    private func lineage(of entity: String) -> [Int] {
        var result: [Int] = []
        var seen: Set<Int> = []
        var current: String? = entity
        while let name = current, let index = indexes[name], seen.insert(index).inserted {
            result.append(index)
            current = model.entities[index].parentName
        }
        return result
    }

    /// Returns a declared or inherited property of an entity.
    func property(_ name: String, of entity: String) -> Property? {
        ownedProperty(name, of: entity)?.property
    }

    private func ownedProperty(_ name: String, of entity: String) -> (property: Property, owner: String)? {
        for index in lineage(of: entity) {
            if let property = properties[index][name] { return (property, model.entities[index].name) }
        }
        return nil
    }

    /// Returns the version hash of a declared or inherited property of an entity; `nil` if the property has none.
    private func versionHash(of name: String, in entity: String) -> VersionHash? {
        ownedProperty(name, of: entity).flatMap { $0.property.versionHash(declaredIn: $0.owner) }
    }

    /// Returns the sorted names of all properties of an entity, including inherited ones.
    func propertyNames(of entity: String) -> [String] {
        let names = Set(lineage(of: entity).flatMap { properties[$0].keys })
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns a declared or inherited attribute of an entity.
    func attribute(_ name: String, of entity: String) -> Attribute? {
        if case .attribute(let attribute) = property(name, of: entity) { attribute } else { nil }
    }

    /// Returns a declared or inherited relationship of an entity.
    func relationship(_ name: String, of entity: String) -> Relationship? {
        if case .relationship(let relationship) = property(name, of: entity) { relationship } else { nil }
    }

    /// Returns the subentities of an entity, at any depth.
    func subentities(of entity: String) -> [String] {
        var result: [String] = []
        var seen: Set<String> = [entity]
        var waiting = children[entity] ?? []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted else { continue }
            result.append(name)
            waiting += children[name] ?? []
        }
        return result
    }

    /// Returns whether every property of an entity exists in an entity of another model with an equal version hash
    /// (Documentation/Formats/MappingModel.md, 2.3).
    func isCopied(_ entity: String, to other: String, in destination: MappedModel) -> Bool {
        propertyNames(of: entity).allSatisfy { name in
            guard let hash = versionHash(of: name, in: entity) else { return false }
            return destination.versionHash(of: name, in: other) == hash
        }
    }
}
