internal import Foundation

/// Finds the steps that migrate a store to the current version of a model through the stages of a migration.
struct StagePlan {
    enum Step {
        /// Lightweight migration to the version of a reference; `nil` for the current version.
        case lightweight(to: NSManagedObjectModelReference?)
        case custom(NSCustomMigrationStage)
    }

    let steps: [Step]

    /// Plans the migration of a store.
    ///
    /// - Parameters:
    ///   - store: The checksum of the store's version.
    ///   - current: The checksum of the current version.
    /// - Throws: An error with the code 134110 for stages that contradict each other or lack the store's version,
    ///   134506 for stages that would migrate backward.
    init(_ stages: [NSMigrationStage], from store: String, to current: String) throws {
        try Self.checkDuplicates(stages)
        guard let first = stages.firstIndex(where: { Self.begins($0, at: store) }) ?? Self.end(stages, store) else {
            throw MigrationErrors.error(
                .migration, reason: "no stage has the version checksum “\(store)” of the store",
                help: "Add every released version to a stage")
        }
        let last = stages.lastIndex { Self.versions(of: $0).contains(current) }
        if let last, last < first {
            throw MigrationErrors.error(
                .stagedMigrationBackwardMigration,
                reason:
                    "The current version, “\(current)”, is in a stage before that of the store's version, “\(store)”",
                help: "Put the stages in the order of the versions")
        }
        var steps: [Step] = []
        var version = store
        // The stages behind the current version belong to newer versions of the app.
        for stage in stages[first..<(last.map { $0 + 1 } ?? stages.endIndex)] where version != current {
            guard let custom = stage as? NSCustomMigrationStage else { continue }
            if custom.currentModel.versionChecksum != version {
                steps.append(.lightweight(to: custom.currentModel))
                version = custom.currentModel.versionChecksum
                guard version != current else { break }
            }
            steps.append(.custom(custom))
            version = custom.nextModel.versionChecksum
        }
        if version != current { steps.append(.lightweight(to: nil)) }
        self.steps = steps
    }

    /// Returns whether a stage starts from a version.
    private static func begins(_ stage: NSMigrationStage, at version: String) -> Bool {
        switch stage {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums.contains(version)
        case let stage as NSCustomMigrationStage: stage.currentModel.versionChecksum == version
        default: false
        }
    }

    /// Returns the index after the custom stage that ends with a version.
    private static func end(_ stages: [NSMigrationStage], _ version: String) -> Int? {
        stages.firstIndex { ($0 as? NSCustomMigrationStage)?.nextModel.versionChecksum == version }.map { $0 + 1 }
    }

    private static func versions(of stage: NSMigrationStage) -> [String] {
        switch stage {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums
        case let stage as NSCustomMigrationStage: [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
        default: []
        }
    }

    /// Checks that each version begins at most one stage. The end of a custom stage may be the beginning of the next.
    private static func checkDuplicates(_ stages: [NSMigrationStage]) throws {
        var begins: Set<String> = []
        var lightweight: Set<String> = []
        var custom: Set<String> = []
        for stage in stages {
            let versions =
                (stage as? NSCustomMigrationStage).map { [$0.currentModel.versionChecksum] } ?? Self.versions(of: stage)
            for version in versions where !begins.insert(version).inserted { throw duplicate(version) }
            if stage is NSCustomMigrationStage {
                custom.formUnion(Self.versions(of: stage))
            } else {
                lightweight.formUnion(versions)
            }
        }
        if let version = lightweight.intersection(custom).min() { throw duplicate(version) }
    }

    private static func duplicate(_ version: String) -> NSError {
        MigrationErrors.error(
            .migration, reason: "Duplicate version checksums across stages detected: “\(version)”",
            help: "List each version in one stage only")
    }
}
