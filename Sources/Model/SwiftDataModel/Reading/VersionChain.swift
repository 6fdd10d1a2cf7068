internal import ModelSchema

/// Versions of one schema, from the oldest to the newest.
package struct VersionChain: Hashable, Sendable {
    /// The `SchemaMigrationPlan` that lists the versions, or `nil` if no plan in the sources does.
    package var planName: String?
    /// The names of the versions.
    package var versions: [String]

    /// Returns the chains of versions: those of each migration plan, with newer versions of the same models.
    ///
    /// Without a plan, versions that have a model in common belong together. Otherwise unrelated schemas of a target
    /// would be taken for versions of each other.
    ///
    /// - Parameter versions: The versions, from the oldest to the newest.
    static func all(_ versions: [SwiftDataVersion], plans: [(name: String, versions: [String])]) -> [VersionChain] {
        let entities = Dictionary(versions.map { ($0.name, Set($0.model.entities.map(\.name))) }) { first, _ in first }
        var chains = plans.map { plan in
            VersionChain(planName: plan.name, versions: plan.versions.filter { entities[$0] != nil })
        }
        let order = versions.map(\.name)
        for name in order where !chains.contains(where: { $0.versions.contains(name) }) {
            let own = entities[name] ?? []
            let index = chains.firstIndex { chain in
                guard let last = chain.versions.last, let span = order.firstIndex(of: last),
                    order[span...].contains(name)
                else { return false }
                return !own.isDisjoint(with: entities[last] ?? [])
            }
            if let index {
                chains[index].versions.append(name)
            } else {
                chains.append(VersionChain(planName: nil, versions: [name]))
            }
        }
        return chains.filter { !$0.versions.isEmpty }
    }
}

/// Two versions that a migration plan cannot distinguish.
package struct EqualVersions: Sendable {
    /// The name of the earlier version.
    package var earlier: String
    package var later: SwiftDataVersion

    /// The problem.
    package var message: String { "“\(later.name)” has the same version hashes as “\(earlier)”" }
    /// Why it matters.
    package static let why =
        "A container whose migration plan has both stops the app: “Duplicate version checksums across stages detected”."
    /// What to do about it.
    package static let help =
        "Remove one of them from the sources and the plan. Each version must differ in a stored property, a type, an inverse "
        + "or a constraint."

    /// Returns the versions whose hashes an earlier version of their chain has.
    package static func all(_ versions: [SwiftDataVersion], _ chains: [VersionChain]) -> [EqualVersions] {
        let byName = Dictionary(versions.map { ($0.name, $0) }) { first, _ in first }
        return chains.flatMap { chain -> [EqualVersions] in
            var names: [EntityVersionHashes: String] = [:]
            return chain.versions.compactMap { name -> EqualVersions? in
                guard let version = byName[name] else { return nil }
                let hashes = version.model.versionHashes().entities
                guard let earlier = names[hashes] else {
                    names[hashes] = name
                    return nil
                }
                return EqualVersions(earlier: earlier, later: version)
            }
        }
    }
}
