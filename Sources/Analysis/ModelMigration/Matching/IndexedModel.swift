package import ModelSchema

/// A model with its version hashes and inherited properties, for comparisons.
///
/// Of several entities or properties with the same name, which is an error in the model, the first is used.
package struct IndexedModel: Sendable {
    /// An entity with its inherited properties.
    package struct IndexedEntity: Sendable {
        /// The entity as the model declares it.
        package let entity: Entity
        /// The names of its ancestors, nearest first. An inheritance cycle is followed once.
        package let ancestors: [String]
        /// The version hash, or `nil` if it cannot be computed.
        package let hash: VersionHash?
        /// The version hashes of the entity and its ancestors, by name.
        let lineageHashes: [String: VersionHash]
        /// The entity's own properties and those of its ancestors, by name.
        package let properties: [String: OwnedProperty]
        /// The stored attributes, sorted by name.
        let storedAttributes: [OwnedProperty]
        /// The stored relationships, sorted by name.
        let storedRelationships: [OwnedProperty]
        package var name: String { entity.name }
        /// The topmost ancestor, or the entity itself.
        package var rootName: String { ancestors.last ?? entity.name }

        /// Returns whether another version has the same entity, by name and version hash.
        ///
        /// Its rows stay as they are, and so do its properties: renaming identifiers may be left from earlier versions.
        /// Only composite attributes, whose names the hash does not cover, can have other names.
        package func isUnchanged(in other: IndexedEntity) -> Bool {
            hash != nil && hash == other.hash && name == other.name
        }

        /// Returns whether the entity that declares a property is the same in another version.
        package func declaresUnchanged(
            _ property: OwnedProperty, as otherProperty: OwnedProperty, in other: IndexedEntity
        ) -> Bool {
            guard property.owner == otherProperty.owner, let hash = lineageHashes[property.owner] else { return false }
            return hash == other.lineageHashes[property.owner]
        }
    }

    /// A property and the entity that declares it.
    package struct OwnedProperty: Sendable, Renameable {
        package let property: Property
        /// The name of the entity that declares it.
        package let owner: String

        /// Creates a property of an entity.
        package init(property: Property, owner: String) {
            self.property = property
            self.owner = owner
        }

        /// The property's version hash, or `nil` if the property is a derived attribute whose expression is invalid.
        package var versionHash: VersionHash? { property.versionHash(declaredIn: owner) }

        package var name: String { property.name }
        package var renamingIdentifier: String? { property.renamingIdentifier }
    }

    package let model: Model
    package let hashes: ModelVersionHashes
    /// The entities by name.
    package let entities: [String: IndexedEntity]
    /// The names of the entities, in code-point order.
    package let entityNames: [String]
    /// The composite types by name.
    package let composites: [String: CompositeType]

    /// Indexes a model.
    package init(_ model: Model) {
        self.model = model
        let hashes = model.versionHashes()
        self.hashes = hashes
        composites = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
        var byName: [String: Entity] = [:]
        for entity in model.entities where byName[entity.name] == nil { byName[entity.name] = entity }
        var indexed: [String: IndexedEntity] = [:]
        for entity in byName.values {
            let lineage = Self.lineage(of: entity, in: byName)
            var properties: [String: OwnedProperty] = [:]
            // From the root down, so that a declared property shadows an inherited one, which the compiler rejects
            // anyway.
            for owner in lineage.reversed() {
                for property in owner.properties.reversed() {
                    properties[property.name] = OwnedProperty(property: property, owner: owner.name)
                }
            }
            func stored(_ kind: Property.Kind) -> [OwnedProperty] {
                properties.values.filter { $0.property.kind == kind && $0.property.isStored }
                    .sorted(by: ElementMatch.precedes)
            }
            indexed[entity.name] = IndexedEntity(
                entity: entity, ancestors: lineage.dropFirst().map(\.name), hash: hashes.entities[entity.name],
                lineageHashes: Dictionary(
                    lineage.compactMap { owner in hashes.entities[owner.name].map { (owner.name, $0) } }
                ) { first, _ in first },
                properties: properties, storedAttributes: stored(.attribute),
                storedRelationships: stored(.relationship))
        }
        entities = indexed
        entityNames = indexed.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func lineage(of entity: Entity, in byName: [String: Entity]) -> [Entity] {
        var result = [entity]
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while result.count <= Model.maximumInheritanceDepth, let name = next, seen.insert(name).inserted,
            let ancestor = byName[name]
        {
            result.append(ancestor)
            next = ancestor.parentName
        }
        return result
    }

    /// The entities, by name.
    package var sortedEntities: [IndexedEntity] { entityNames.compactMap { entities[$0] } }

    /// Returns the inverse of a relationship, or `nil` if it has none.
    package func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverseName, let destination = relationship.destinationName,
            case .relationship(let inverse)? = entities[destination]?.properties[name]?.property
        else { return nil }
        return inverse
    }

    /// Returns whether an object can be the destination of only one object's relationship.
    ///
    /// Core Data stores a to-many relationship without an inverse in the rows of its members
    /// (Sources/Runtime/CoreData/DEVIATIONS.md).
    package func hasExclusiveMembers(_ relationship: Relationship) -> Bool {
        guard let inverse = inverse(of: relationship) else { return relationship.isToMany }
        return !inverse.isToMany
    }

    /// Returns whether an entity is another one or inherits from it.
    package func isEntity(_ name: String, kindOf ancestor: String) -> Bool {
        name == ancestor || entities[name]?.ancestors.contains(ancestor) == true
    }
}

extension ElementMatch where Element == Entity {
    /// Pairs the entities of two versions.
    ///
    /// An entity with an equal hash keeps its rows, unless it is part of a chain of renamings, in which these get
    /// another name and its own renaming identifier leads to rows that would be deleted otherwise: `C` becomes `A`, and
    /// `A` becomes `B`. What Apple's framework does then is unknown.
    package init(_ source: IndexedModel, _ destination: IndexedModel) {
        let (entities, newEntities) = (source.sortedEntities.map(\.entity), destination.sortedEntities.map(\.entity))
        let chains = RenamingChains(entities, newEntities)
        self.init(source: entities, destination: newEntities) { old, new in
            guard let old = source.entities[old.name], let new = destination.entities[new.name],
                old.isUnchanged(in: new)
            else { return false }
            return !chains.contain(old.entity, renamed: new.entity)
        }
    }
}
