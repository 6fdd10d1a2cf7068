internal import ModelSchema

/// The changes that lightweight migration makes to a store of one version to make it a store of another.
///
/// The rules are those of Apple's “Using Lightweight Migration” and of migrations observed in real stores
/// (`MigrationObstacle.Certainty` distinguishes them).
package struct LightweightMigration: Hashable, Sendable {
    /// The changes, by entity.
    package private(set) var steps: [MigrationStep] = []
    /// The changes that it cannot make. Empty if the migration can be inferred.
    package private(set) var obstacles: [MigrationObstacle] = []
    /// The changes whose success depends on the rows of the store.
    package private(set) var risks: [MigrationRisk] = []
    /// Whether all version hashes are equal, so that the store opens without a migration.
    package let isUnneeded: Bool

    /// Whether Core Data can infer a mapping model.
    package var isPossible: Bool { obstacles.isEmpty }

    /// Infers the migration between two versions.
    package init(from source: IndexedModel, to destination: IndexedModel) {
        isUnneeded = Self.isUnneeded(source, destination)
        guard !isUnneeded else { return }
        var inference = MigrationInference(source: source, destination: destination)
        inference.run()
        steps = inference.steps
        obstacles = inference.obstacles
        risks = inference.risks
    }

    /// Returns whether Core Data can infer the migration between two versions. Faster than inferring it.
    package static func isPossible(from source: IndexedModel, to destination: IndexedModel) -> Bool {
        guard !isUnneeded(source, destination) else { return true }
        var inference = MigrationInference(source: source, destination: destination)
        inference.stopsAtObstacles = true
        inference.run()
        return inference.obstacles.isEmpty
    }

    private static func isUnneeded(_ source: IndexedModel, _ destination: IndexedModel) -> Bool {
        source.hashes.entities == destination.hashes.entities && source.hashes.findings.isEmpty
            && destination.hashes.findings.isEmpty
    }
}
