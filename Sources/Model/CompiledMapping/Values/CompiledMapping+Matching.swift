package import ModelSchema

extension CompiledMapping {
    /// The source and destination entities of an entity mapping.
    package struct EntityPair: Hashable, Sendable {
        /// The name of the source entity; `nil` for a mapping that adds objects.
        package var sourceName: String?
        /// The version hash of the source entity.
        package var sourceHash: VersionHash?
        /// The name of the destination entity; `nil` for a mapping that removes objects.
        package var destinationName: String?
        /// The version hash of the destination entity.
        package var destinationHash: VersionHash?
    }

    /// The entities of each entity mapping, in their order.
    package var entityPairs: [EntityPair] {
        entityMappings.map { mapping in
            EntityPair(
                sourceName: mapping.sourceEntityName, sourceHash: mapping.sourceEntityHash,
                destinationName: mapping.destinationEntityName, destinationHash: mapping.destinationEntityHash)
        }
    }

    /// Returns whether the mapping model can migrate a store with the source hashes to a model with the destination
    /// hashes: each entity that it names exists there with the same hash.
    ///
    /// Apple documents only that mapping models are found by version hashes; that all of them must agree is a proposal
    /// (Documentation/Formats/MappingModel.md, 3.1). A mapping model without any hash matches nothing.
    package func matches(sourceHashes: EntityVersionHashes, destinationHashes: EntityVersionHashes) -> Bool {
        var hasHash = false
        for pair in entityPairs {
            if let name = pair.sourceName {
                guard let hash = sourceHashes[name], pair.sourceHash == hash else { return false }
                hasHash = true
            }
            if let name = pair.destinationName {
                guard let hash = destinationHashes[name], pair.destinationHash == hash else { return false }
                hasHash = true
            }
        }
        return hasHash
    }

    /// Returns the concrete entities of the destination model that are the destination of no entity mapping, in the
    /// order of the model.
    package func unmappedEntities(of destination: Model) -> [String] {
        let mapped = Set(entityMappings.compactMap(\.destinationEntityName))
        return destination.entities.filter { !$0.isAbstract && !mapped.contains($0.name) }.map(\.name)
    }

    /// Returns the index of the mapping model that serves a migration: the first that matches and covers every concrete
    /// entity of the destination, or else the first that matches; `nil` if none matches
    /// (Documentation/Formats/MappingModel.md, 3.1).
    ///
    /// - Parameter candidates: Mapping models, sorted by path.
    package static func bestMatch(
        _ candidates: [CompiledMapping], source: Model, destination: Model
    ) -> Int? {
        bestMatch(
            candidates, sourceHashes: source.versionHashes().entities,
            destinationHashes: destination.versionHashes().entities, destination: destination)
    }

    /// Returns the index of the mapping model that serves a migration, for models whose hashes are known.
    ///
    /// - Parameter candidates: Mapping models, sorted by path.
    package static func bestMatch(
        _ candidates: [CompiledMapping], sourceHashes: EntityVersionHashes, destinationHashes: EntityVersionHashes,
        destination: Model
    ) -> Int? {
        let matching = candidates.indices.filter {
            candidates[$0].matches(sourceHashes: sourceHashes, destinationHashes: destinationHashes)
        }
        return matching.first { candidates[$0].unmappedEntities(of: destination).isEmpty } ?? matching.first
    }
}
