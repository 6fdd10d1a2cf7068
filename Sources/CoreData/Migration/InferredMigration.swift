internal import Foundation
internal import ModelMigration
internal import ModelSchema

/// Two versions of a model between which lightweight migration can be inferred, as far as a store has their entities.
struct InferredMigration {
    /// The model that the store was made with, without entities of other stores.
    let source: IndexedModel
    /// The model that the store is to have, without entities of other stores.
    let destination: IndexedModel
    /// What is changed.
    let changes: LightweightMigration
    /// The entities of the store, in the model that it was made with.
    let sourceEntities: [NSEntityDescription]
    /// The entities of the store, in the model that it is to have.
    let destinationEntities: [NSEntityDescription]

    /// - Parameter cache: The parts of models that other migrations have indexed.
    /// - Throws: an error of the code 134140, whose underlying error of the code 134190 names entity, property and reason.
    init(_ migration: StoreMigration, from model: NSManagedObjectModel, cache: MigrationCache) throws {
        sourceEntities = migration.entities(of: model)
        destinationEntities = migration.destinationEntities
        source = Self.index(model, sourceEntities, cache)
        destination = Self.index(migration.destination, destinationEntities, cache)
        changes = LightweightMigration(from: source, to: destination)
        guard changes.isPossible else { throw Self.failure(changes.obstacles, migration, model) }
    }

    /// Returns a model with some of its entities, and those that they inherit from.
    static func index(
        _ model: NSManagedObjectModel, _ entities: [NSEntityDescription], _ cache: MigrationCache = MigrationCache()
    ) -> IndexedModel {
        var names: Set<String> = []
        for entity in entities {
            var next: NSEntityDescription? = entity
            while let current = next, let name = current.name, names.insert(name).inserted {
                next = current.superentity
            }
        }
        return cache.indexed(model, names) {
            var schema = SchemaConverter.schema(of: model)
            schema.entities.removeAll { !names.contains($0.name) }
            return IndexedModel(schema)
        }
    }

    private static func failure(
        _ obstacles: [MigrationObstacle], _ migration: StoreMigration, _ source: NSManagedObjectModel
    ) -> NSError {
        let reasons = obstacles.map { "“\($0.element)” \($0.reason). \($0.help)" }
        var underlying: NSError?
        if let first = obstacles.first {
            var userInfo: [String: Any] = ["entity": first.entity, "reason": appleReason(first)]
            userInfo["property"] = first.property
            userInfo[NSLocalizedRecoverySuggestionErrorKey] = first.help
            underlying = CoreDataError.error(.inferredMappingModel, "“\(first.element)” \(first.reason)", userInfo)
        }
        return migration.missingMapping(
            "Can't find or automatically infer mapping model for migration: " + reasons.joined(separator: " "), source,
            underlying)
    }

    /// Returns the text that Apple's framework gives, where it is known.
    private static func appleReason(_ obstacle: MigrationObstacle) -> String {
        if case .incompatibleTypes = obstacle.kind { return "Source and destination attribute types are incompatible" }
        return obstacle.reason
    }
}
