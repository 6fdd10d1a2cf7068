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
        var isOrdered = false
        /// Whether the type of the attribute changes.
        var isConverted = false
        /// Whether an optional attribute becomes required.
        var fillsNil = false
        /// Whether the property is an element of a composite attribute, whose names are then paths.
        var isElement = false
    }

    /// Whether to include properties whose values a migration cannot keep: relationships with another destination, and
    /// derived attributes.
    enum LostValues {
        case included
        case excluded
    }

    /// The entities, by the name in the first version.
    private(set) var entities: [EntityPair] = []

    /// Pairs the elements of two versions by name, and renamed elements by renaming identifier.
    init(_ old: IndexedModel, _ new: IndexedModel, lostValues: LostValues = .included) {
        let match = ElementMatch(old, new)
        let names = Dictionary(match.pairs.map { ($0.source.name, $0.destination.name) }) { first, _ in first }
        for pair in match.pairs {
            guard let first = old.entities[pair.source.name], let second = new.entities[pair.destination.name] else {
                continue
            }
            let kept = PropertyMatch(first, second).pairs.filter { pair in
                Self.isKept(pair.source.property) && Self.isKept(pair.destination.property)
                    && (lostValues == .included
                        || Self.keeps(pair.source.property, second: pair.destination.property, names: names, new: new))
            }
            entities.append(
                EntityPair(
                    old: first.name, new: second.name,
                    properties: kept.flatMap { pair in
                        Self.pairs(
                            pair.source.property, new: pair.destination.property, oldModel: old, newModel: new,
                            isUnchanged: first.declaresUnchanged(pair.source, as: pair.destination, in: second))
                    }))
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
                            fillsNil: first.fillsNil || second.fillsNil,
                            isElement: first.isElement || second.isElement)
                    }
                })
        }
        return result
    }

    /// Returns the names of the properties whose values are in a store, and in place of each composite attribute the
    /// paths of its elements.
    static func stored(_ entity: IndexedModel.IndexedEntity, _ model: IndexedModel) -> [String] {
        entity.properties.values.filter { isKept($0.property) }.flatMap { owned -> [String] in
            guard case .attribute(let attribute) = owned.property, attribute.type == .composite else {
                return [owned.name]
            }
            return model.leaves(of: attribute).map { "\(owned.name).\($0.name)" }
        }
    }

    /// Returns whether the values of a property are in a store.
    private static func isKept(_ property: Property) -> Bool {
        if case .attribute(let attribute) = property, attribute.type == .undefined { return false }
        return property.isStored
    }

    /// Returns a property of both versions, or the elements of a composite attribute.
    private static func pairs(
        _ old: Property, new: Property, oldModel: IndexedModel, newModel: IndexedModel, isUnchanged: Bool
    ) -> [PropertyPair] {
        switch (old, new) {
        case (.attribute(let first), .attribute(let second))
        where first.type == .composite && second.type == .composite:
            return CompositeMatch(
                source: first, old: oldModel, destination: second, new: newModel, isUnchanged: isUnchanged
            ).pairs.map { before, after in
                var pair = pair(before.element, after.element)
                pair.old = "\(old.name).\(before.name)"
                pair.new = "\(new.name).\(after.name)"
                pair.isElement = true
                return pair
            }
        case (.attribute(let first), .attribute(let second)): return [pair(first, second)]
        case (.relationship(let first), .relationship(let second)):
            return [PropertyPair(old: old.name, new: new.name, isOrdered: first.isOrdered && second.isOrdered)]
        default: return [PropertyPair(old: old.name, new: new.name)]
        }
    }

    private static func pair(_ old: Attribute, _ new: Attribute) -> PropertyPair {
        PropertyPair(
            old: old.name, new: new.name, isConverted: old.type != new.type,
            fillsNil: old.isOptional && !new.isOptional)
    }

    /// Returns whether a migration keeps the values of a property.
    private static func keeps(
        _ first: Property, second: Property, names: [String: String], new: IndexedModel
    ) -> Bool {
        switch (first, second) {
        case (.attribute(let first), .attribute(let second)): return !first.isDerived && !second.isDerived
        case (.relationship(let first), .relationship(let second)):
            guard let before = first.destinationName, let after = second.destinationName else { return true }
            return new.isEntity(names[before] ?? before, kindOf: after)
        default: return false
        }
    }
}
