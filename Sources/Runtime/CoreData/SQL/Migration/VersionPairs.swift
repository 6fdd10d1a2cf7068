internal import Foundation
package import ModelMigration
internal import ModelSchema
internal import PredicateSyntax

/// An entity that exists in both versions of a model, with the columns of its properties in both schemas.
package struct EntityPair {
    /// The entity in the file's current schema.
    package let source: EntityMapping
    package let sourceLayout: EntityLayout
    /// The entity in the destination schema.
    package let destination: EntityMapping
    package let destinationLayout: EntityLayout
    /// The slot of the source for each slot of the destination; `nil` for new properties.
    package let slots: [Int?]

    /// Returns the position of a slot's value before the migration, or `nil` if the property is new or was not stored.
    package func sourcePosition(_ slot: Int) -> SlotColumn? {
        guard let old = slots[slot], source.slotColumns.indices.contains(old), source.slotColumns[old] != .nowhere
        else {
            return nil
        }
        return source.slotColumns[old]
    }

    /// Returns the relationship in the source; `nil` for other slots and new relationships.
    func sourceRelationship(_ slot: Int) -> NSRelationshipDescription? {
        slots[slot].flatMap { sourceLayout.slots[$0].property as? NSRelationshipDescription }
    }

    /// Returns the elements of a composite attribute of both versions, paired; `nil` for other slots and new
    /// attributes.
    package func elements(_ slot: Int) -> CompositeMatch<NSAttributeDescription>? {
        guard let old = slots[slot],
            let before = sourceLayout.slots[old].property as? NSCompositeAttributeDescription,
            let after = destinationLayout.slots[slot].property as? NSCompositeAttributeDescription
        else { return nil }
        return CompositeMatch(before, after)
    }
}

extension EntityPair {
    /// Returns whether a derived attribute that follows from its own row has to be computed for existing rows: it is
    /// new, it is derived differently, or the migration changes an attribute that it is derived from.
    package func needsDerivation(_ slot: Int) -> Bool {
        guard let (before, after) = attributes(slot), before.attributeType == after.attributeType,
            MigratedValue.derivation(before) == MigratedValue.derivation(after),
            let expression = (after as? NSDerivedAttributeDescription)?.derivationExpression
        else { return true }
        return expression.tree.syntax.keyPaths.contains { path in
            path.keyPath.keys.first.flatMap(destinationLayout.index(of:)).map(changesValues(of:)) ?? false
        }
    }

    private func changesValues(of slot: Int) -> Bool {
        guard destinationLayout.slots[slot].property is NSAttributeDescription else { return false }
        guard let (before, after) = attributes(slot), !(after is NSCompositeAttributeDescription) else { return true }
        return before.name != after.name || before.attributeType != after.attributeType
            || before.isOptional && !after.isOptional
    }

    private func attributes(_ slot: Int) -> (before: NSAttributeDescription, after: NSAttributeDescription)? {
        guard let old = slots[slot],
            let before = sourceLayout.slots[old].property as? NSAttributeDescription,
            let after = destinationLayout.slots[slot].property as? NSAttributeDescription
        else { return nil }
        return (before, after)
    }
}

/// The entities and properties of two versions of a store's schema, paired.
package struct VersionPairs<Schema: RowSchema> {
    /// The file's current schema.
    package let source: Schema
    package let destination: Schema
    /// The entities that both versions have, in the order of their numbers in the destination.
    package let pairs: [EntityPair]
    /// The entity numbers in the destination, by their numbers in the source.
    package let destinationNumbers: [Int: Int]
    /// The layouts of the source's entities, by number.
    let sourceLayouts: [Int: EntityLayout]
    /// The layouts of the destination's entities, by number.
    package let destinationLayouts: [Int: EntityLayout]
    private let pairsByTable: [String: [EntityPair]]
    private let pairsBySource: [Int: EntityPair]
    private let pairsByDestination: [Int: EntityPair]

    package init(_ inferred: InferredChanges, source: Schema, destination: Schema) {
        self.source = source
        self.destination = destination
        sourceLayouts = Self.layouts(inferred.sourceEntities, source)
        destinationLayouts = Self.layouts(inferred.destinationEntities, destination)
        let match = ElementMatch(inferred.source, inferred.destination)
        var names: [String: String] = [:]
        for pair in match.pairs { names[pair.source.name] = pair.destination.name }
        var pairs: [EntityPair] = []
        for pair in match.pairs {
            guard let old = source.entity(named: pair.source.name),
                let new = destination.entity(named: pair.destination.name),
                let oldLayout = sourceLayouts[old.number], let newLayout = destinationLayouts[new.number],
                let oldEntity = inferred.source.entities[pair.source.name],
                let newEntity = inferred.destination.entities[pair.destination.name]
            else { continue }
            var slots = [Int?](repeating: nil, count: newLayout.slots.count)
            for property in PropertyMatch(oldEntity, newEntity).pairs
            where Self.keepsDestination(property, names: names, destination: inferred.destination) {
                guard let slot = newLayout.index(of: property.destination.name) else { continue }
                slots[slot] = oldLayout.index(of: property.source.name)
            }
            pairs.append(
                EntityPair(
                    source: old, sourceLayout: oldLayout, destination: new, destinationLayout: newLayout, slots: slots))
        }
        pairs.sort { $0.destination.number < $1.destination.number }
        self.pairs = pairs
        pairsByTable = Dictionary(grouping: pairs, by: \.destination.table)
        pairsBySource = Dictionary(pairs.map { ($0.source.number, $0) }) { first, _ in first }
        pairsByDestination = Dictionary(pairs.map { ($0.destination.number, $0) }) { first, _ in first }
        destinationNumbers = pairsBySource.mapValues(\.destination.number)
    }

    /// Returns the layouts of entities and their ancestors, by their numbers in a schema.
    private static func layouts(_ entities: [NSEntityDescription], _ schema: Schema) -> [Int: EntityLayout] {
        var result: [Int: EntityLayout] = [:]
        for entity in entities {
            var next: NSEntityDescription? = entity
            while let current = next {
                if let name = current.name, let number = schema.entity(named: name)?.number, result[number] == nil {
                    result[number] = current.objectLayout()
                }
                next = current.superentity
            }
        }
        return result
    }

    /// Returns whether the old destination objects of a relationship can also be its new ones.
    private static func keepsDestination(
        _ pair: PropertyMatch.Pair, names: [String: String], destination: IndexedModel
    ) -> Bool {
        guard case .relationship(let old) = pair.source.property,
            case .relationship(let new) = pair.destination.property, let before = old.destinationName,
            let after = new.destinationName
        else { return true }
        return destination.isEntity(names[before] ?? before, kindOf: after)
    }

    /// Returns the pairs whose rows are in a table of the destination.
    package func pairs(in table: String) -> [EntityPair] { pairsByTable[table] ?? [] }

    /// Returns the pair of an entity of the source, or `nil` if the destination lacks the entity.
    func pair(source number: Int) -> EntityPair? { pairsBySource[number] }

    /// Returns the pair of an entity of the destination, or `nil` if the entity is new.
    func pair(destination number: Int) -> EntityPair? { pairsByDestination[number] }

    /// Returns the pairs of an entity of the destination and of those that inherit from it.
    package func pairs(below number: Int) -> [EntityPair] {
        guard let entity = destination.entity(number: number) else { return [] }
        return entity.numbers.sorted().compactMap { pairsByDestination[$0] }
    }

    /// Returns the schema's mapping of the entity that declares a property.
    func declaring(_ property: NSPropertyDescription, _ schema: Schema) -> EntityMapping? {
        property.owner?.name.flatMap { schema.entity(named: $0) }
    }

    /// Returns whether all objects of given source entities are objects of a destination entity.
    func keeps(_ numbers: [Int], in number: Int) -> Bool {
        let allowed = Set(destination.entity(number: number)?.numbers ?? [])
        return numbers.allSatisfy { old in
            if sourceLayouts[old]?.isAbstract == true { return true }
            return destinationNumbers[old].map(allowed.contains) ?? false
        }
    }
}
