internal import ModelSchema

/// What lightweight migration would do to a store of one version to make it a store of another.
///
/// The rules are those of Apple's “Using Lightweight Migration” and of migrations observed in real stores
/// (`MigrationObstacle.Certainty` tells them apart).
package struct LightweightMigration: Hashable, Sendable {
    /// What is changed, by entity.
    package private(set) var steps: [MigrationStep] = []
    /// What it cannot change. Empty if the migration can be inferred.
    package private(set) var obstacles: [MigrationObstacle] = []
    /// What depends on the rows of the store.
    package private(set) var risks: [MigrationRisk] = []
    /// Whether all version hashes are equal, so that the store opens without a migration.
    package let isUnneeded: Bool

    /// Whether Core Data can infer a mapping model.
    package var isPossible: Bool { obstacles.isEmpty }

    /// Infers the migration between two versions.
    package init(from source: IndexedModel, to destination: IndexedModel) {
        isUnneeded =
            source.hashes.entities == destination.hashes.entities && source.hashes.findings.isEmpty
            && destination.hashes.findings.isEmpty
        guard !isUnneeded else { return }
        var inference = MigrationInference(source: source, destination: destination)
        inference.run()
        steps = inference.steps
        obstacles = inference.obstacles
        risks = inference.risks
    }
}
