internal import Foundation
package import ModelMigration
internal import ModelSchema

/// Two versions of a model between which lightweight migration can be inferred, reduced to the entities of a store.
package struct InferredChanges {
    /// The model that the store was created with, without entities of other stores.
    let source: IndexedModel
    /// The destination model, without entities of other stores.
    let destination: IndexedModel
    /// The changes between the versions.
    package let changes: LightweightMigration
    /// The entities of the store, in the model that it was created with.
    package let sourceEntities: [NSEntityDescription]
    /// The entities of the store, in the destination model.
    package let destinationEntities: [NSEntityDescription]

    /// - Parameter cache: The parts of models that other migrations have indexed.
    /// - Throws: An error with the code 134140, whose underlying error with the code 134190 names entity, property and
    ///   reason.
    package init(_ request: MigrationRequest, from model: NSManagedObjectModel, cache: InferenceCache) throws {
        sourceEntities = request.entities(of: model)
        destinationEntities = request.destinationEntities
        source = Self.index(model, entities: sourceEntities, cache: cache)
        destination = Self.index(request.destination, entities: destinationEntities, cache: cache)
        changes = LightweightMigration(from: source, to: destination)
        guard changes.isPossible else { throw Self.failure(changes.obstacles, request, source: model) }
    }

    /// Returns a model reduced to given entities and their ancestors, indexed.
    static func index(
        _ model: NSManagedObjectModel, entities: [NSEntityDescription], cache: InferenceCache = InferenceCache()
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
        _ obstacles: [MigrationObstacle], _ request: MigrationRequest, source: NSManagedObjectModel
    ) -> NSError {
        let reasons = obstacles.map { "“\($0.element)” \($0.reason). \($0.help)" }
        var underlying: NSError?
        if let first = obstacles.first {
            var userInfo: [String: Any] = ["entity": first.entity, "reason": appleReason(first)]
            userInfo["property"] = first.property
            userInfo[NSLocalizedRecoverySuggestionErrorKey] = first.help
            underlying = CoreDataError.error(
                .inferredMappingModel, text: "“\(first.element)” \(first.reason)", userInfo: userInfo)
        }
        return request.missingMapping(
            "Can't find or automatically infer mapping model for migration: " + reasons.joined(separator: " "),
            source: source,
            underlying: underlying)
    }

    /// Returns Apple's text for an obstacle, where it is known.
    private static func appleReason(_ obstacle: MigrationObstacle) -> String {
        if case .incompatibleTypes = obstacle.kind { return "Source and destination attribute types are incompatible" }
        return obstacle.reason
    }
}
