internal import Foundation
internal import ModelMigration

/// A cache of the changes between two versions, and of the indexed parts of models. Thread-safe.
///
/// Models are distinguished by identity and must no longer change.
package final class InferenceCache: @unchecked Sendable {
    // Unchecked: the lock guards the tables, and their values are immutable.

    /// Two versions, reduced to the entities of a store.
    struct Versions: Hashable {
        private let source: ObjectIdentifier
        private let destination: ObjectIdentifier
        private let entities: Set<String>

        init(_ source: NSManagedObjectModel, _ request: MigrationRequest) {
            self.source = ObjectIdentifier(source)
            destination = ObjectIdentifier(request.destination)
            entities = Set(StoreMetadata.entityHashes(in: request.metadata)?.keys.map(\.self) ?? [])
        }
    }

    /// A model, reduced to the entities of a store.
    private struct Part: Hashable {
        let model: ObjectIdentifier
        let entities: Set<String>
    }

    private let lock = NSLock()
    private var indexed: [Part: IndexedModel] = [:]
    private var inferred: [Versions: InferredChanges] = [:]
    /// Retains the models, so that their identities are not reused.
    private var models: [ObjectIdentifier: NSManagedObjectModel] = [:]

    package init() {}

    /// Returns the changes between a store's version and the destination version.
    ///
    /// - Throws: An error with the code 134140 if the migration cannot be inferred.
    func changes(_ request: MigrationRequest, from source: NSManagedObjectModel) throws -> InferredChanges {
        let key = Versions(source, request)
        if let cached = lock.withLock({ inferred[key] }) { return cached }
        let made = try InferredChanges(request, from: source, cache: self)
        lock.withLock {
            inferred[key] = made
            for model in [source, request.destination] { models[ObjectIdentifier(model)] = model }
        }
        return made
    }

    /// Returns a part of a model, indexed.
    func indexed(_ model: NSManagedObjectModel, _ entities: Set<String>, make: () -> IndexedModel) -> IndexedModel {
        let key = Part(model: ObjectIdentifier(model), entities: entities)
        if let cached = lock.withLock({ indexed[key] }) { return cached }
        let made = make()
        lock.withLock {
            indexed[key] = made
            models[key.model] = model
        }
        return made
    }
}
