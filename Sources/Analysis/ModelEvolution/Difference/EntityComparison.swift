internal import ModelMigration
internal import ModelSchema

/// Compares the entities of two versions.
struct EntityComparison {
    private let old: IndexedModel
    private let new: IndexedModel
    private let match: ElementMatch<Entity>
    private var changes: [EntityChange] = []
    private var removed: [OwnedChange] = []
    private var added: [OwnedChange] = []

    private typealias OwnedProperty = IndexedModel.OwnedProperty

    /// A property of an entity that only one version has.
    private struct OwnedChange {
        var entity: Int
        var owned: OwnedProperty
        var property: Property { owned.property }
        var owner: String { owned.owner }

        init(entity: Int, property: Property, owner: String) {
            self.entity = entity
            owned = OwnedProperty(property: property, owner: owner)
        }
    }

    init(old: IndexedModel, new: IndexedModel) {
        self.old = old
        self.new = new
        match = ElementMatch(old, new)
    }

    mutating func run() -> [EntityChange] {
        for pair in match.pairs { compare(pair.source, pair.destination, basis: pair.basis) }
        findMovedProperties()
        findRenamedProperties()
        let rest = renamedEntities()
        for entity in rest.removed {
            changes.append(change(.removed, source: entity, destination: nil))
        }
        for entity in rest.added {
            changes.append(change(.added, source: nil, destination: entity))
        }
        for index in changes.indices { changes[index].properties.sort() }
        return changes.filter(\.isChange).sorted()
    }

    // MARK: Entities

    private mutating func compare(_ source: Entity, _ destination: Entity, basis: MatchBasis) {
        let kind: ChangeKind = source.name == destination.name ? .changed : .renamed
        var result = change(kind, source: source, destination: destination)
        let index = changes.count
        let isUnchanged =
            old.entities[source.name].flatMap { before in
                new.entities[destination.name].map(before.isUnchanged)
            } ?? false
        let properties = ElementMatch(source: source.properties, destination: destination.properties) { _, _ in
            isUnchanged
        }
        for pair in properties.pairs {
            let change = Self.change(
                OwnedProperty(property: pair.source, owner: source.name),
                OwnedProperty(property: pair.destination, owner: destination.name))
            if let change { result.properties.append(change) }
        }
        changes.append(result)
        removed += properties.removed.map { OwnedChange(entity: index, property: $0, owner: source.name) }
        added += properties.added.map { OwnedChange(entity: index, property: $0, owner: destination.name) }
    }

    private func change(_ kind: ChangeKind, source: Entity?, destination: Entity?) -> EntityChange {
        var fields: [FieldChange] = []
        if let source, let destination {
            fields = FieldValues.changes(from: FieldValues(source), to: FieldValues(destination))
            for index in fields.indices { fields[index].changesHash = fields[index].field.isHashTerm }
        }
        let oldHash = source.flatMap { old.entities[$0.name]?.hash }
        let newHash = destination.flatMap { new.entities[$0.name]?.hash }
        var result = EntityChange(
            change: ElementChange(
                kind: kind, oldName: source?.name, newName: destination?.name, fields: fields,
                oldOrigin: source?.origin,
                newOrigin: destination?.origin),
            properties: [], oldHash: oldHash, newHash: newHash, hashTerms: [])
        if let source, let destination, oldHash != newHash {
            result.hashTerms =
                HashTerms(
                    old: old.entities[source.name], new: new.entities[destination.name], in: old, new
                ).terms
        }
        return result
    }

    /// Pairs entities that are similar except for their names, and returns the rest.
    private mutating func renamedEntities() -> (removed: [Entity], added: [Entity]) {
        let pairs = RenameGuess.pairs(
            removed: match.removed, added: match.added, similarity: { RenameGuess.similarity($0, $1) })
        for pair in pairs {
            let (source, destination) = (match.removed[pair.removed], match.added[pair.added])
            changes.append(change(.suspectedRename, source: source, destination: destination))
        }
        let (sources, destinations) = (Set(pairs.map(\.removed)), Set(pairs.map(\.added)))
        return (
            match.removed.enumerated().filter { !sources.contains($0.offset) }.map(\.element),
            match.added.enumerated().filter { !destinations.contains($0.offset) }.map(\.element)
        )
    }

    // MARK: Properties

    /// Returns the change of a property that both versions of an entity have; `nil` if there is none.
    private static func change(_ old: OwnedProperty, _ new: OwnedProperty) -> PropertyChange? {
        let fields = fields(from: old, to: new)
        let (source, destination) = (old.property, new.property)
        guard !fields.isEmpty || source.kind != destination.kind else { return nil }
        return PropertyChange(
            change: ElementChange(
                kind: source.name == destination.name ? .changed : .renamed, oldName: source.name,
                newName: destination.name, fields: fields, oldOrigin: source.origin, newOrigin: destination.origin),
            oldKind: source.kind, newKind: destination.kind, summary: "")
    }

    private static func fields(from source: OwnedProperty, to destination: OwnedProperty) -> [FieldChange] {
        var fields = FieldValues.changes(from: FieldValues(source.property), to: FieldValues(destination.property))
        let terms = HashTerms.fields(of: fields, from: source, to: destination)
        for index in fields.indices { fields[index].changesHash = terms.contains(fields[index].field) }
        return fields
    }

    private func isRelated(_ first: String, _ second: String) -> Bool {
        for model in [old, new] {
            if let entity = model.entities[first], let other = model.entities[second],
                entity.rootName == other.rootName
            {
                return true
            }
        }
        return false
    }

    /// Finds properties that another entity of the same hierarchy now declares.
    private mutating func findMovedProperties() {
        var candidates: [(key: [String], removed: Int, added: Int)] = []
        let locations = Dictionary(grouping: added.indices) { added[$0].property.canonicalName }
        for (position, source) in removed.enumerated() {
            for other in locations[source.property.canonicalName] ?? [] {
                let destination = added[other]
                guard destination.property.kind == source.property.kind, destination.entity != source.entity,
                    isRelated(source.owner, destination.owner)
                else { continue }
                let key =
                    [source.owner, destination.owner].sorted()
                    + [source.property.name, destination.property.name].sorted()
                candidates.append((key, position, other))
            }
        }
        // The order is the same in both directions.
        candidates.sort { $0.key.lexicographicallyPrecedes($1.key) }
        var usedSources: Set<Int> = []
        var usedDestinations: Set<Int> = []
        for candidate in candidates
        where !usedSources.contains(candidate.removed) && !usedDestinations.contains(candidate.added) {
            usedSources.insert(candidate.removed)
            usedDestinations.insert(candidate.added)
            let (source, destination) = (removed[candidate.removed], added[candidate.added])
            let change = PropertyChange(
                change: ElementChange(
                    kind: .moved, oldName: source.property.name, newName: destination.property.name,
                    fields: Self.fields(from: source.owned, to: destination.owned),
                    oldOrigin: source.property.origin, newOrigin: destination.property.origin),
                oldKind: source.property.kind, newKind: destination.property.kind, summary: "",
                oldOwner: source.owner, newOwner: destination.owner)
            // Both entities show the change, so that neither seems to lose or gain a property.
            changes[source.entity].properties.append(change)
            changes[destination.entity].properties.append(change)
        }
        removed = removed.enumerated().filter { !usedSources.contains($0.offset) }.map(\.element)
        added = added.enumerated().filter { !usedDestinations.contains($0.offset) }.map(\.element)
    }

    /// Pairs the remaining properties of each entity by similarity; unpaired ones were removed or added.
    private mutating func findRenamedProperties() {
        let removedByEntity = Dictionary(grouping: removed, by: \.entity)
        let addedByEntity = Dictionary(grouping: added, by: \.entity)
        for index in changes.indices {
            let ownedSources = (removedByEntity[index] ?? []).map(\.owned)
            let ownedDestinations = (addedByEntity[index] ?? []).map(\.owned)
            let (sources, destinations) = (ownedSources.map(\.property), ownedDestinations.map(\.property))
            guard !sources.isEmpty || !destinations.isEmpty else { continue }
            let pairs = RenameGuess.pairs(
                removed: sources, added: destinations, similarity: { RenameGuess.similarity($0, $1) })
            for pair in pairs {
                let (source, destination) = (sources[pair.removed], destinations[pair.added])
                changes[index].properties.append(
                    PropertyChange(
                        change: ElementChange(
                            kind: .suspectedRename, oldName: source.name, newName: destination.name,
                            fields: Self.fields(
                                from: ownedSources[pair.removed], to: ownedDestinations[pair.added]),
                            oldOrigin: source.origin, newOrigin: destination.origin),
                        oldKind: source.kind, newKind: destination.kind, summary: ""))
            }
            let (paired, pairedDestinations) = (Set(pairs.map(\.removed)), Set(pairs.map(\.added)))
            for (position, property) in sources.enumerated() where !paired.contains(position) {
                changes[index].properties.append(
                    PropertyChange(
                        change: ElementChange(
                            kind: .removed, oldName: property.name, newName: nil, fields: [], oldOrigin: property.origin
                        ),
                        oldKind: property.kind, newKind: nil, summary: property.summary))
            }
            for (position, property) in destinations.enumerated() where !pairedDestinations.contains(position) {
                changes[index].properties.append(
                    PropertyChange(
                        change: ElementChange(
                            kind: .added, oldName: nil, newName: property.name, fields: [], newOrigin: property.origin),
                        oldKind: nil, newKind: property.kind, summary: property.summary))
            }
        }
    }
}

extension EntityChange {
    /// Whether anything differs.
    fileprivate var isChange: Bool {
        change.kind != .changed || !change.fields.isEmpty || !properties.isEmpty || oldHash != newHash
    }
}

extension Property {
    /// A short description of the property: `optional String`, `to-many Book`.
    package var summary: String {
        switch self {
        case .attribute(let attribute):
            return (attribute.isOptional ? "optional " : "") + (attribute.isTransient ? "transient " : "")
                + (attribute.isDerived ? "derived " : "") + (attribute.unknownType ?? attribute.type.xmlValue)
        case .relationship(let relationship):
            return (relationship.isOptional ? "optional " : "") + (relationship.isToMany ? "to-many " : "to-one ")
                + (relationship.destinationName ?? "")
        case .fetched(let fetched):
            return "fetched " + (fetched.fetchRequest?.entityName ?? "")
        }
    }
}
