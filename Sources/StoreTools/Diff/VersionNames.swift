internal import ModelMigration
internal import ModelSchema

/// The names that the entities and properties of one version have in another.
struct VersionNames {
    /// An entity of both versions.
    struct EntityPair {
        var old: String
        var new: String
        var properties: [PropertyPair]
    }

    /// A property of both versions, and what a migration does with its values.
    struct PropertyPair {
        var old: String
        var new: String
        /// Whether the relationship is ordered.
        var isOrdered = false
        /// Whether the type of the attribute changes.
        var isConverted = false
        /// Whether an optional attribute becomes required.
        var fillsNil = false
    }

    /// Whether to include properties whose values a migration cannot keep: relationships with another destination, and derived
    /// attributes.
    enum LostValues {
        case included
        case excluded
    }

    /// The entities, by the name in the first version.
    private(set) var entities: [EntityPair] = []

    /// Pairs the elements of two versions by name, and renamed elements by renaming identifier.
    init(_ old: IndexedModel, _ new: IndexedModel, lostValues: LostValues = .included) {
        let match = ElementMatch(
            source: old.sortedEntities.map(\.entity), destination: new.sortedEntities.map(\.entity))
        let names = Dictionary(match.pairs.map { ($0.source.name, $0.destination.name) }) { first, _ in first }
        for pair in match.pairs {
            guard let first = old.entities[pair.source.name], let second = new.entities[pair.destination.name] else {
                continue
            }
            let properties = ElementMatch(source: Self.stored(first), destination: Self.stored(second)).pairs
            let kept = properties.filter { pair in
                lostValues == .included || Self.keeps(pair.source.property, pair.destination.property, names, old, new)
            }
            entities.append(
                EntityPair(
                    old: first.name, new: second.name,
                    properties: kept.map { Self.pair($0.source.property, $0.destination.property) }))
        }
    }

    /// Returns the names across a further version, for the elements that exist in all versions.
    func followed(by next: VersionNames) -> VersionNames {
        let others = Dictionary(next.entities.map { ($0.old, $0) }) { first, _ in first }
        var result = self
        result.entities = entities.compactMap { entity in
            guard let other = others[entity.new] else { return nil }
            let properties = Dictionary(other.properties.map { ($0.old, $0) }) { first, _ in first }
            return EntityPair(
                old: entity.old, new: other.new,
                properties: entity.properties.compactMap { first in
                    properties[first.new].map { second in
                        PropertyPair(
                            old: first.old, new: second.new, isOrdered: first.isOrdered && second.isOrdered,
                            isConverted: first.isConverted || second.isConverted,
                            fillsNil: first.fillsNil || second.fillsNil)
                    }
                })
        }
        return result
    }

    /// Returns the properties whose values are in a store.
    static func stored(_ entity: IndexedModel.IndexedEntity) -> [IndexedModel.OwnedProperty] {
        entity.properties.values.filter { owned in
            if case .attribute(let attribute) = owned.property, attribute.type == .undefined { return false }
            return owned.property.isStored
        }
    }

    private static func pair(_ old: Property, _ new: Property) -> PropertyPair {
        var pair = PropertyPair(old: old.name, new: new.name)
        switch (old, new) {
        case (.attribute(let first), .attribute(let second)):
            pair.isConverted = first.type != second.type
            pair.fillsNil = first.isOptional && !second.isOptional
        case (.relationship(let first), .relationship(let second)): pair.isOrdered = first.isOrdered && second.isOrdered
        default: break
        }
        return pair
    }

    /// Returns whether a migration keeps the values of a property.
    private static func keeps(
        _ first: Property, _ second: Property, _ names: [String: String], _ old: IndexedModel, _ new: IndexedModel
    ) -> Bool {
        switch (first, second) {
        case (.attribute(let first), .attribute(let second)):
            if first.type == .composite, old.model.composites != new.model.composites { return false }
            return !first.isDerived && !second.isDerived
        case (.relationship(let first), .relationship(let second)):
            guard let before = first.destinationName, let after = second.destinationName else { return true }
            return new.isEntity(names[before] ?? before, kindOf: after)
        default: return false
        }
    }
}
