internal import ModelSchema

/// The renamings of entities by which names are passed on: from an entity whose name is gone, over names that both
/// versions have, to a new name.
struct RenamingChains {
    /// The entities of the source, by canonical name, and their canonical names by name.
    private let sources: [String: Entity]
    private let sourceIdentifiers: [String: String]
    private let isInDestination: (String) -> Bool
    /// The entities of the destination with a renaming identifier, by this.
    private let heirs: [String: Entity]
    private let identifiers: [String: String]

    init(_ source: IndexedModel, _ destination: IndexedModel) {
        let renamed = destination.sortedEntities.map(\.entity).filter { $0.renamingIdentifier != nil }
        sources = Dictionary(source.sortedEntities.map { ($0.entity.canonicalName, $0.entity) }) { first, _ in first }
        sourceIdentifiers = source.entities.mapValues(\.entity.canonicalName)
        isInDestination = { destination.entities[$0] != nil }
        heirs = Dictionary(renamed.map { ($0.canonicalName, $0) }) { first, _ in first }
        identifiers = Dictionary(renamed.map { ($0.name, $0.canonicalName) }) { first, _ in first }
    }

    /// Returns whether a chain passes the name of two entities on.
    func contain(_ old: Entity, renamed new: Entity) -> Bool {
        guard new.renamingIdentifier != nil, new.canonicalName != old.canonicalName else { return false }
        return startsWithRemovedName(new.canonicalName) && endsWithNewName(old.canonicalName)
    }

    private func startsWithRemovedName(_ identifier: String) -> Bool {
        var (identifier, steps) = (identifier, 0)
        while let entity = sources[identifier], steps <= sources.count {
            if !isInDestination(entity.name) { return true }
            guard let next = identifiers[entity.name] else { return false }
            (identifier, steps) = (next, steps + 1)
        }
        return false
    }

    private func endsWithNewName(_ identifier: String) -> Bool {
        var (identifier, steps) = (identifier, 0)
        while let heir = heirs[identifier], steps <= heirs.count {
            guard let next = sourceIdentifiers[heir.name] else { return true }
            (identifier, steps) = (next, steps + 1)
        }
        return false
    }
}
