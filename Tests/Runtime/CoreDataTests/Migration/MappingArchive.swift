import CompiledMapping
import CompiledModel
import CoreData
import ModelSchema
import PredicateSyntax
import Testing

/// Compiled files of mapping models and models that tests create in code.
enum MappingArchive {
    /// Returns the `.cdm` file of a mapping model.
    static func bytes(
        _ model: NSMappingModel, from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) throws -> Data {
        func hash(_ name: String?, _ model: NSManagedObjectModel) -> VersionHash? {
            name.flatMap { model.entitiesByName[$0]?.versionHash }.flatMap { VersionHash(bytes: [UInt8]($0)) }
        }
        func properties(_ mappings: [NSPropertyMapping]?) throws -> [CompiledMapping.PropertyMapping] {
            try (mappings ?? []).map { mapping in
                let tree = try mapping.valueExpression.map { try PredicateParser.parseExpression($0.description) }
                return CompiledMapping.PropertyMapping(name: mapping.name ?? "", value: tree.map { .tree($0) })
            }
        }
        let entities = try model.entityMappings.map { mapping in
            let type = CompiledMapping.MappingType(rawValue: Int(mapping.mappingType.rawValue)) ?? .undefined
            var entity = CompiledMapping.EntityMapping(name: mapping.name, type: type)
            entity.sourceEntityName = mapping.sourceEntityName
            entity.destinationEntityName = mapping.destinationEntityName
            entity.sourceEntityHash = hash(mapping.sourceEntityName, source)
            entity.destinationEntityHash = hash(mapping.destinationEntityName, destination)
            entity.policyClassName = mapping.entityMigrationPolicyClassName
            entity.attributeMappings = try properties(mapping.attributeMappings)
            entity.relationshipMappings = try properties(mapping.relationshipMappings)
            return entity
        }
        return Data(CompiledMapping(entityMappings: entities).encoded().bytes)
    }

    /// Returns the `.mom` file of a model: the copy that a store contains.
    static func model(_ model: NSManagedObjectModel) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Model.sqlite")
        try MappingFixture.close(try MappingFixture.open(url, model))
        return try TestStore.modelArchive(url)
    }
}
