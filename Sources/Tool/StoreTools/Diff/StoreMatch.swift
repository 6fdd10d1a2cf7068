internal import ModelMigration
internal import ModelSchema

/// The correspondence between the models of two stores: by name, and for renamed elements by renaming identifier.
struct StoreMatch {
    /// A property, or an element of a composite attribute by its path, that both models have.
    struct PropertyPair {
        var old: String
        var new: String
    }

    /// An entity that both models have.
    struct EntityPair {
        var old: IndexedModel.IndexedEntity
        var new: IndexedModel.IndexedEntity
        var attributes: [PropertyPair] = []
        var toOnes: [PropertyPair] = []
        /// To-one relationships that are to-many in the second model.
        var widened: [PropertyPair] = []
        /// To-many relationships that do not follow from a to-one relationship, or that are ordered.
        var toManys: [(pair: PropertyPair, isOrdered: Bool)] = []
        /// Properties that only one model has.
        var removedProperties: [String] = []
        var addedProperties: [String] = []
    }

    /// The entities that both models have.
    private(set) var entities: [EntityPair] = []
    /// The entities that only one of the models has.
    private(set) var removedEntities: [String] = []
    private(set) var addedEntities: [String] = []
    /// The name in the first model of each entity of the second model that exists in both.
    private(set) var oldNames: [String: String] = [:]

    /// Matches two models by name and renaming identifier.
    init(_ old: IndexedModel, _ new: IndexedModel) {
        self.init(old: old, new: new, names: VersionNames(old, new))
    }

    /// Matches two models whose elements have known names in each other.
    init(old: IndexedModel, new: IndexedModel, names: VersionNames) {
        oldNames = Dictionary(names.entities.map { ($0.new, $0.old) }) { first, _ in first }
        let matched = Set(names.entities.map(\.old))
        removedEntities = old.sortedEntities.filter { !$0.entity.isAbstract && !matched.contains($0.name) }.map(\.name)
        addedEntities = new.sortedEntities.filter { !$0.entity.isAbstract && oldNames[$0.name] == nil }.map(\.name)
        let kept = Self.relationships(names)
        for pair in names.entities {
            guard let first = old.entities[pair.old], let second = new.entities[pair.new] else { continue }
            entities.append(
                Self.pair(
                    first, new: second, properties: pair.properties, oldModel: old, newModel: new, kept: kept))
        }
    }

    /// Returns the relationships of the first model that the second one has, as `Entity.relationship`.
    private static func relationships(_ names: VersionNames) -> Set<String> {
        Set(names.entities.flatMap { entity in entity.properties.map { "\(entity.old).\($0.old)" } })
    }

    private static func pair(
        _ old: IndexedModel.IndexedEntity, new: IndexedModel.IndexedEntity, properties: [VersionNames.PropertyPair],
        oldModel: IndexedModel, newModel: IndexedModel, kept: Set<String>
    ) -> EntityPair {
        var result = EntityPair(old: old, new: new)
        for pair in properties {
            let names = PropertyPair(old: pair.old, new: pair.new)
            if pair.isElement { result.attributes.append(names) }
            guard let source = old.properties[pair.old], let destination = new.properties[pair.new] else { continue }
            switch (source.property, destination.property) {
            case (.attribute, .attribute): result.attributes.append(names)
            case (.relationship(let first), .relationship(let second)):
                switch (first.isToMany, second.isToMany) {
                case (false, false): result.toOnes.append(names)
                case (true, true):
                    if pair.isOrdered || representsPair(for: source, relationship: first, model: oldModel, kept: kept) {
                        result.toManys.append((names, pair.isOrdered))
                    }
                case (false, true): result.widened.append(names)
                case (true, false): result.removedProperties.append(names.old)
                }
            default:
                result.removedProperties.append(names.old)
                result.addedProperties.append(names.new)
            }
        }
        let (oldNames, newNames) = (Set(properties.map(\.old)), Set(properties.map(\.new)))
        result.removedProperties += VersionNames.stored(old, oldModel).filter { !oldNames.contains($0) }.sorted(
            by: precedes)
        result.addedProperties += VersionNames.stored(new, newModel).filter { !newNames.contains($0) }.sorted(
            by: precedes)
        return result
    }

    private static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    /// Returns whether the differences of a pair of relationships are shown for this one of the two.
    private static func representsPair(
        for owned: IndexedModel.OwnedProperty, relationship: Relationship, model: IndexedModel, kept: Set<String>
    ) -> Bool {
        guard let inverse = relationship.inverseName, kept.contains("\(relationship.destinationName ?? "").\(inverse)"),
            case .relationship(let other)? = relationship.destinationName
                .flatMap({ model.entities[$0] })?.properties[inverse]?.property
        else { return true }
        guard other.isToMany else { return false }
        let owner = relationship.destinationName.flatMap { model.entities[$0] }?.properties[inverse]?.owner ?? ""
        return other.isOrdered ? false : (owned.owner, owned.name) <= (owner, inverse)
    }
}
