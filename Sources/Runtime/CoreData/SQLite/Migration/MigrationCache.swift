internal import Foundation
internal import ModelMigration

/// A cache that in-place migrations of several stores between the same versions share: the inferred changes, the plans,
/// and the copies and indexed parts of the models. Thread-safe.
///
/// Models are distinguished by identity and must no longer change.
package final class MigrationCache: @unchecked Sendable {
    // Unchecked: the lock guards the tables, and their values are immutable.

    /// Two versions, reduced to the entities of a store.
    struct Versions: Hashable {
        private let source: ObjectIdentifier
        private let destination: ObjectIdentifier
        private let entities: Set<String>

        init(_ source: NSManagedObjectModel, _ migration: StoreMigration) {
            self.source = ObjectIdentifier(source)
            destination = ObjectIdentifier(migration.destination)
            entities = Set(StoreMetadata.entityHashes(in: migration.metadata)?.keys.map(\.self) ?? [])
        }
    }

    /// A plan, and its inputs other than the versions.
    struct Plan {
        let layout: FileLayout
        let constrained: Set<String>
        let versions: VersionPairs<StoreSchema>
        let plan: InPlacePlan
    }

    /// A model, reduced to the entities of a store.
    private struct Part: Hashable {
        let model: ObjectIdentifier
        let entities: Set<String>
    }

    private let lock = NSLock()
    private var indexed: [Part: IndexedModel] = [:]
    private var inferred: [Versions: InferredMigration] = [:]
    private var plans: [Versions: Plan] = [:]
    private var copies: [ObjectIdentifier: [UInt8]] = [:]
    /// Retains the models, so that their identities are not reused.
    private var models: [ObjectIdentifier: NSManagedObjectModel] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Returns the changes between a store's version and the destination version.
    ///
    /// - Throws: an error with the code 134140 if the migration cannot be inferred.
    func changes(_ migration: StoreMigration, from source: NSManagedObjectModel) throws -> InferredMigration {
        let key = Versions(source, migration)
        if let cached = lock.withLock({ inferred[key] }) { return cached }
        let made = try InferredMigration(migration, from: source, cache: self)
        lock.withLock {
            inferred[key] = made
            for model in [source, migration.destination] { models[ObjectIdentifier(model)] = model }
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

    /// Returns the plan for a file, creating it if the last one between these versions was for another layout.
    func plan(
        _ versions: Versions, layout: FileLayout, constrained: Set<String>,
        make: () throws -> (versions: VersionPairs<StoreSchema>, plan: InPlacePlan)
    ) rethrows -> Plan {
        if let known = lock.withLock({ plans[versions] }), known.constrained == constrained,
            known.layout.hasSameColumns(as: layout)
        {
            return known
        }
        let made = try make()
        let plan = Plan(layout: layout, constrained: constrained, versions: made.versions, plan: made.plan)
        lock.withLock { plans[versions] = plan }
        return plan
    }

    /// Returns the copy of a model that is stored in databases, or `nil` if the model has no compiled form.
    func copy(of model: NSManagedObjectModel) -> [UInt8]? {
        let key = ObjectIdentifier(model)
        if let cached = lock.withLock({ copies[key] }) { return cached }
        guard let made = StoredModel.content(of: model) else { return nil }
        lock.withLock {
            copies[key] = made
            models[key] = model
        }
        return made
    }
}
