internal import Foundation

/// A cache that in-place migrations of several stores between the same versions share: the inferred changes, the plans,
/// and the copies and indexed parts of the models. Thread-safe.
///
/// Models are distinguished by identity and must no longer change.
package final class MigrationCache: @unchecked Sendable {
    // Unchecked: the lock guards the tables, and their values are immutable.

    /// A plan, and its inputs other than the versions.
    struct Plan {
        let layout: FileLayout
        let constrained: Set<String>
        let versions: VersionPairs<StoreSchema>
        let plan: InPlacePlan
    }

    /// The inferred changes.
    let inference = InferenceCache()
    private let lock = NSLock()
    private var plans: [InferenceCache.Versions: Plan] = [:]
    private var copies: [ObjectIdentifier: [UInt8]] = [:]
    /// Retains the models, so that their identities are not reused.
    private var models: [ObjectIdentifier: NSManagedObjectModel] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Returns the plan for a file, creating it if the last one between these versions was for another layout.
    func plan(
        _ versions: InferenceCache.Versions, layout: FileLayout, constrained: Set<String>,
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
