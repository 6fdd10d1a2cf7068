internal import CompiledMapping
internal import CoreData
internal import Foundation
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver

/// The versions of a model whose stores are migrated, and what is known of each step between them.
final class MigrationTestPlan: @unchecked Sendable {
    // Unchecked: the runtime's models are put to use before several threads read them, and the lock guards the known steps.

    /// A version.
    struct Version {
        let name: String
        let indexed: IndexedModel
        let description: NSManagedObjectModel
    }

    /// The versions up to the target, which is the last.
    let versions: [Version]
    private let mappings: ProjectMappings
    /// The names across each step from a version to the next one, and from there to the target.
    private let namesOfSteps: [VersionNames]
    /// What the migrations between the same two versions have in common: nearly all stores go through the last steps.
    let cache = MigrationCache()
    private let lock = NSLock()
    private var steps: [[Int]: Step] = [:]

    /// The index of the version that all are migrated to.
    var target: Int { versions.count - 1 }

    /// - Throws: If a version has errors.
    init(_ set: ModelSet, to target: ModelSet.Version, _ mappings: ProjectMappings) throws(InputFailure) {
        var versions: [Version] = []
        for version in set.versions {
            let indexed = try version.indexedModel()
            versions.append(
                Version(name: version.name, indexed: indexed, description: try version.managedObjectModel(indexed)))
            if version.name == target.name { break }
        }
        self.versions = versions
        self.mappings = mappings
        var names: [VersionNames] = []
        for (old, new) in zip(versions, versions.dropFirst()).reversed() {
            let step = VersionNames(old.indexed, new.indexed, lostValues: .excluded)
            names.append(names.last.map { step.followed(by: $0) } ?? step)
        }
        namesOfSteps = names.reversed()
    }

    /// Returns the names that the target has for the elements of a version.
    ///
    /// - Parameter isDirect: Whether the versions between do not count.
    func names(from version: Int, isDirect: Bool) -> VersionNames {
        guard isDirect, version + 1 < target else { return namesOfSteps[version] }
        return VersionNames(versions[version].indexed, versions[target].indexed, lostValues: .excluded)
    }

    /// How a step between two versions is done.
    enum Step {
        /// The hashes are equal.
        case unneeded
        case inferred
        case mapped(CompiledMapping)
        /// With a mapping model whose policies are code of the app.
        case needsPolicy(path: String, name: String)
        /// There is no mapping model, and none can be inferred.
        case impossible([String])
    }

    /// Returns how stores of one version become stores of another.
    func step(from source: Int, to destination: Int) -> Step {
        if let known = lock.withLock({ steps[[source, destination]] }) { return known }
        let step = findStep(from: source, to: destination)
        lock.withLock { steps[[source, destination]] = step }
        return step
    }

    private func findStep(from source: Int, to destination: Int) -> Step {
        let (old, new) = (versions[source].indexed, versions[destination].indexed)
        if old.hashes.entities == new.hashes.entities { return .unneeded }
        if let mapping = mappings.mapping(from: old, to: new) {
            let policy = mapping.compiled.entityMappings.lazy.compactMap(\.policyClassName)
                .first { $0 != "NSEntityMigrationPolicy" }
            return policy.map { .needsPolicy(path: mapping.path, name: $0) } ?? .mapped(mapping.compiled)
        }
        let changes = LightweightMigration(from: old, to: new)
        guard changes.isPossible else {
            return .impossible(changes.obstacles.map { "“\($0.element)” \($0.reason). \($0.help)" })
        }
        return .inferred
    }

    /// Returns the version that has given hashes, or `nil` if none up to the target has.
    func version(with hashes: EntityVersionHashes) -> Int? {
        versions.indices.last { versions[$0].indexed.hashes.entities == hashes }
    }
}
