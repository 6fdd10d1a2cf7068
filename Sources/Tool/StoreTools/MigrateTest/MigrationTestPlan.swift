internal import CompiledMapping
internal import CoreData
internal import Foundation
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver

/// The versions of a model whose stores are migrated, and the steps between them.
final class MigrationTestPlan: @unchecked Sendable {
    // Unchecked: the runtime's models are in use, and so immutable, before several threads read them, and the lock
    // guards the known steps.

    struct Version {
        let name: String
        let indexed: IndexedModel
        let description: NSManagedObjectModel
    }

    /// The versions up to the target, which is the last.
    let versions: [Version]
    private let mappings: ProjectMappings
    /// The names from each version to the target, across the steps between consecutive versions.
    private let namesOfSteps: [VersionNames]
    /// A cache for migrations between the same two versions: nearly all stores go through the last steps.
    let cache = MigrationCache()
    private let lock = NSLock()
    private var steps: [[Int]: Step] = [:]

    /// The index of the target version.
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
    /// - Parameter isDirect: Whether the versions between are skipped.
    func names(from version: Int, isDirect: Bool) -> VersionNames {
        guard isDirect, version + 1 < target else { return namesOfSteps[version] }
        return VersionNames(versions[version].indexed, versions[target].indexed, lostValues: .excluded)
    }

    /// The kind of a step between two versions.
    enum Step {
        /// The hashes are equal.
        case unneeded
        case inferred
        case mapped(CompiledMapping)
        /// With a mapping model whose policies are code of the app.
        case needsPolicy(path: String, name: String)
        /// Impossible, because there is no mapping model, and none can be inferred.
        case impossible([String])
    }

    /// Returns the step that migrates stores of one version to another.
    func step(from source: Int, to destination: Int) -> Step {
        if let cached = lock.withLock({ steps[[source, destination]] }) { return cached }
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

    /// Returns the index of the version with the given hashes, or `nil` if none up to the target has them.
    func version(with hashes: EntityVersionHashes) -> Int? {
        versions.indices.last { versions[$0].indexed.hashes.entities == hashes }
    }
}
