package import ModelEvolution

/// Whether users of the released versions of a model can update.
package enum Verdict: Int, Comparable, Sendable {
    /// Stores of the released current version open without migration.
    case compatible
    /// Core Data migrates the stores of all released versions.
    case migratesAutomatically
    /// Stores of a released version need a mapping model or a custom migration stage that the project does not have.
    case needsMappingModel
    /// Stores of a released version can no longer be opened.
    case wouldLockUsersOut

    /// The verdict in words.
    package var text: String {
        switch self {
        case .compatible: "compatible"
        case .migratesAutomatically: "migrates automatically"
        case .needsMappingModel: "needs a mapping model"
        case .wouldLockUsersOut: "would lock users out"
        }
    }

    /// Returns the verdict about a model that differs from its released state in some way.
    ///
    /// - Parameters:
    ///   - changes: The breaking changes, without those that a mapping model of the project deals with.
    ///   - released: The released state.
    ///   - model: The state now.
    package init(changes: [BreakingChange], from released: ModelHistory, to model: ModelHistory) {
        let before = released.current ?? released.versions.last
        let isMigrated = before.map { $0.hashes != model.current?.hashes } ?? false
        self = changes.map(Verdict.init).max() ?? .compatible
        if isMigrated { self = max(self, .migratesAutomatically) }
    }

    /// Returns the least that a change does to users.
    private init(_ change: BreakingChange) {
        switch change.kind {
        case .editedVersion, .deletedVersion, .rolledBackVersion, .currentWentBack: self = .wouldLockUsersOut
        case .notLightweight: self = .needsMappingModel
        // Values are lost, but the store opens.
        case .droppedValues, .renameWithoutIdentifier: self = .migratesAutomatically
        case .equalVersions, .notAdditive: self = .compatible
        }
    }

    package static func < (lhs: Verdict, rhs: Verdict) -> Bool { lhs.rawValue < rhs.rawValue }
}
