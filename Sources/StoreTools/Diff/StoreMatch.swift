internal import ModelMigration
internal import ModelSchema

/// What corresponds to what in the models of two stores: by name, and across a renaming by renaming identifier.
struct StoreMatch {
    /// A property that both models have.
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
        /// To-many relationships that do not follow from a to-one relationship, or have an order.
        var toManys: [(pair: PropertyPair, isOrdered: Bool)] = []
        /// Properties that only one model keeps.
        var removedProperties: [String] = []
        var addedProperties: [String] = []
    }

    /// The entities that both models have.
    private(set) var entities: [EntityPair] = []
    /// The entities that only one of the models has.
    private(set) var removedEntities: [String] = []
    private(set) var addedEntities: [String] = []
    /// The name that an entity of the second model has in the first, where that has it.
    private(set) var oldNames: [String: String] = [:]

    init(_ old: IndexedModel, _ new: IndexedModel) {
        let match = ElementMatch(
            source: old.sortedEntities.map(\.entity), destination: new.sortedEntities.map(\.entity))
        removedEntities = match.removed.filter { !$0.isAbstract }.map(\.name)
        addedEntities = match.added.filter { !$0.isAbstract }.map(\.name)
        for pair in match.pairs {
            oldNames[pair.destination.name] = pair.source.name
            guard let first = old.entities[pair.source.name], let second = new.entities[pair.destination.name] else {
                continue
            }
            entities.append(Self.pair(first, second, old, new))
        }
    }

    private static func pair(
        _ old: IndexedModel.IndexedEntity, _ new: IndexedModel.IndexedEntity, _ oldModel: IndexedModel,
        _ newModel: IndexedModel
    ) -> EntityPair {
        var result = EntityPair(old: old, new: new)
        let match = ElementMatch(source: stored(old), destination: stored(new))
        for pair in match.pairs {
            let names = PropertyPair(old: pair.source.name, new: pair.destination.name)
            switch (pair.source.property, pair.destination.property) {
            case (.attribute, .attribute): result.attributes.append(names)
            case (.relationship(let first), .relationship(let second)):
                switch (first.isToMany, second.isToMany) {
                case (false, false): result.toOnes.append(names)
                case (true, true):
                    let isOrdered = first.isOrdered && second.isOrdered
                    if isOrdered || speaks(for: pair.source, first, oldModel) {
                        result.toManys.append((names, isOrdered))
                    }
                default: result.removedProperties.append(names.old)
                }
            default:
                result.removedProperties.append(names.old)
                result.addedProperties.append(names.new)
            }
        }
        result.removedProperties += match.removed.map(\.name)
        result.addedProperties += match.added.map(\.name)
        return result
    }

    private static func stored(_ entity: IndexedModel.IndexedEntity) -> [IndexedModel.OwnedProperty] {
        entity.properties.values.filter { owned in
            if case .attribute(let attribute) = owned.property, [.undefined, .composite].contains(attribute.type) {
                return false
            }
            return owned.property.isStored
        }
    }

    /// Whether a to-many relationship is the one of a pair of relationships whose difference is shown.
    private static func speaks(
        for owned: IndexedModel.OwnedProperty, _ relationship: Relationship, _ model: IndexedModel
    ) -> Bool {
        guard let inverse = relationship.inverseName,
            case .relationship(let other)? = relationship.destinationName
                .flatMap({ model.entities[$0] })?.properties[inverse]?.property
        else { return true }
        guard other.isToMany else { return false }
        let owner = relationship.destinationName.flatMap { model.entities[$0] }?.properties[inverse]?.owner ?? ""
        return other.isOrdered ? false : (owned.owner, owned.name) <= (owner, inverse)
    }
}
