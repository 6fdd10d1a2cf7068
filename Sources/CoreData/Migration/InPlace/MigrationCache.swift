internal import Foundation
internal import ModelMigration

/// What migrations in place of several stores between the same versions have in common: the inferred changes, the plans, and the copies
/// and indexed parts of the models. Thread-safe.
///
/// Models are told apart by identity and must not change any more.
package final class MigrationCache: @unchecked Sendable {
    // Unchecked: the lock guards the tables, and their values are not changed after they were made.

    /// Two versions, as far as stores have their entities.
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

    /// A plan, and what it depends on besides the versions.
    struct Plan {
        let layout: FileLayout
        let constrained: Set<String>
        let versions: VersionPairs
        let plan: InPlacePlan
    }

    /// A model as far as stores have its entities.
    private struct Part: Hashable {
        let model: ObjectIdentifier
        let entities: Set<String>
    }

    private let lock = NSLock()
    private var indexed: [Part: IndexedModel] = [:]
    private var inferred: [Versions: InferredMigration] = [:]
    private var plans: [Versions: Plan] = [:]
    private var copies: [ObjectIdentifier: [UInt8]] = [:]
    /// Keeps the identities from being given to other models.
    private var models: [ObjectIdentifier: NSManagedObjectModel] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Returns what changes between the version of a store and that which it is to have.
    ///
    /// - Throws: an error of the code 134140 if the migration cannot be inferred.
    func changes(_ migration: StoreMigration, from source: NSManagedObjectModel) throws -> InferredMigration {
        let key = Versions(source, migration)
        if let known = lock.withLock({ inferred[key] }) { return known }
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
        if let known = lock.withLock({ indexed[key] }) { return known }
        let made = make()
        lock.withLock {
            indexed[key] = made
            models[key.model] = model
        }
        return made
    }

    /// Returns the plan for a file, which is made if the last one between these versions was for another layout.
    func plan(
        _ versions: Versions, _ layout: FileLayout, _ constrained: Set<String>,
        make: () throws -> (versions: VersionPairs, plan: InPlacePlan)
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

    /// Returns the copy of a model that stores hold; `nil` for a model that has no compiled form.
    func copy(of model: NSManagedObjectModel) -> [UInt8]? {
        let key = ObjectIdentifier(model)
        if let known = lock.withLock({ copies[key] }) { return known }
        guard let made = StoredModel.content(of: model) else { return nil }
        lock.withLock {
            copies[key] = made
            models[key] = model
        }
        return made
    }
}
