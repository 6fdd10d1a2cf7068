internal import Foundation
internal import ModelMigration
internal import ModelSchema
internal import PredicateSyntax

/// Infers the mapping model that lightweight migration would use, for stores that are not migrated in place.
struct MappingModelInference {
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel
    private let old: IndexedModel
    private let new: IndexedModel

    /// Infers a mapping model for all entities.
    init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
        self.source = source
        self.destination = destination
        old = IndexedModel(SchemaConverter.schema(of: source))
        new = IndexedModel(SchemaConverter.schema(of: destination))
    }

    /// Infers a mapping model for the entities of one store, ignoring changes to other entities.
    init(_ request: MigrationRequest, from source: NSManagedObjectModel) {
        self.source = source
        destination = request.destination
        old = InferredChanges.index(source, entities: request.entities(of: source))
        new = InferredChanges.index(destination, entities: request.destinationEntities)
    }

    /// Returns the mapping model.
    ///
    /// - Throws: An error with the code 134190 for a change that cannot be inferred.
    func mappingModel() throws -> NSMappingModel {
        try checkObstacles()
        let match = ElementMatch(old, new)
        let sourceNames = Dictionary(
            match.pairs.map { ($0.destination.name, $0.source.name) }, uniquingKeysWith: { first, _ in first })
        let destinationNames = Dictionary(
            match.pairs.map { ($0.source.name, $0.destination.name) }, uniquingKeysWith: { first, _ in first })
        var mappings: [NSEntityMapping] = []
        for entity in new.sortedEntities where !entity.entity.isAbstract {
            if let sourceName = sourceNames[entity.name], let before = old.entities[sourceName],
                !before.entity.isAbstract
            {
                mappings.append(mapping(from: before, to: entity, destinationNames))
            } else {
                mappings.append(
                    mapping(
                        "IEM_Add_\(entity.name)", type: .addEntityMappingType, sourceName: nil,
                        destinationName: entity.name))
            }
        }
        for entity in match.removed where !entity.isAbstract {
            mappings.append(
                mapping(
                    "IEM_Remove_\(entity.name)", type: .removeEntityMappingType, sourceName: entity.name,
                    destinationName: nil))
        }
        let model = NSMappingModel()
        model.entityMappings = mappings
        return model
    }

    /// Throws the error for the first change that cannot be inferred. Whether required attributes have values depends
    /// on the rows, and is validated after these were migrated.
    private func checkObstacles() throws {
        let obstacles = LightweightMigration(from: old, to: new).obstacles.filter {
            switch $0.kind {
            case .requiredWithoutDefault, .becameRequired: false
            default: true
            }
        }
        guard let first = obstacles.first else { return }
        var userInfo: [String: Any] = [MigrationErrors.Key.entity: first.entity]
        userInfo[MigrationErrors.Key.property] = first.property
        throw MigrationErrors.error(
            .inferredMappingModel, reason: "“\(first.element)” \(first.reason)", help: first.help, userInfo)
    }

    private func mapping(
        _ name: String, type: NSEntityMappingType, sourceName: String?, destinationName: String?
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = name
        mapping.mappingType = type
        mapping.sourceEntityName = sourceName
        mapping.destinationEntityName = destinationName
        mapping.sourceEntityVersionHash = sourceName.flatMap { source.entitiesByName[$0]?.versionHash }
        mapping.destinationEntityVersionHash = destinationName.flatMap { destination.entitiesByName[$0]?.versionHash }
        mapping.attributeMappings = []
        mapping.relationshipMappings = []
        return mapping
    }

    private func mapping(
        from before: IndexedModel.IndexedEntity, to after: IndexedModel.IndexedEntity,
        _ destinationNames: [String: String]
    ) -> NSEntityMapping {
        let isCopy = before.isUnchanged(in: after)
        let result = mapping(
            isCopy ? "IEM_Copy_\(after.name)" : "IEM_Transform_\(after.name)",
            type: isCopy ? .copyEntityMappingType : .transformEntityMappingType, sourceName: before.name,
            destinationName: after.name)
        let properties = PropertyMatch(before, after)
        result.attributeMappings = properties.pairs.compactMap { pair in
            guard case .attribute(let attribute) = pair.destination.property, !attribute.isDerived else { return nil }
            let mapping = NSPropertyMapping()
            mapping.name = attribute.name
            mapping.valueExpression = Self.sourceValue(pair.source.name)
            mapping.fillsInDefault = !attribute.isOptional
            return mapping
        }
        result.relationshipMappings = properties.pairs.compactMap { pair in
            guard case .relationship(let from) = pair.source.property,
                case .relationship(let to) = pair.destination.property,
                let before = from.destinationName, let after = to.destinationName,
                new.isEntity(destinationNames[before] ?? before, kindOf: after)
            else { return nil }
            let mapping = NSPropertyMapping()
            mapping.name = to.name
            mapping.valueExpression = NSExpression(
                forFunction: NSExpression(forVariable: NSMigrationManagerKey),
                selectorName: MigrationSelectors.instancesOfRelationship,
                arguments: [NSExpression(forConstantValue: from.name), Self.sourceValue(from.name)])
            return mapping
        }
        result.attributeMappings?.sort { ($0.name ?? "") < ($1.name ?? "") }
        result.relationshipMappings?.sort { ($0.name ?? "") < ($1.name ?? "") }
        return result
    }

    /// Returns the expression `$source.name`.
    private static func sourceValue(_ name: String) -> NSExpression {
        let path = KeyPathExpression(DottedKeyPath(keys: [name]), of: .variable(NSMigrationSourceObjectKey))
        return ExpressionTree(.keyPath(path)).makeExpression()
    }
}
