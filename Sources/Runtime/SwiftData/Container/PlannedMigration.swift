internal import CoreData
internal import Foundation

/// Migrates a store through the stages of a plan.
///
/// Each stage leaves a store of a complete version, so an interrupted migration continues with the next stage when the
/// store is opened again. A `didMigrate` that did not succeed is called again first.
struct PlannedMigration {
    private let versions: [Version]
    private let stages: [MigrationStage]
    private let configuration: ModelConfiguration
    private let destination: NSManagedObjectModel
    /// The name of the configuration if it is one of several; `nil` for all entities.
    private let configurationName: String?

    private struct Version {
        let type: any VersionedSchema.Type
        let schema: Schema
        let model: NSManagedObjectModel

        init(_ type: any VersionedSchema.Type) {
            self.type = type
            schema = Schema(versionedSchema: type)
            model = schema.makeModel()
        }
    }

    init(
        _ plan: any SchemaMigrationPlan.Type, to destination: NSManagedObjectModel, _ configuration: ModelConfiguration,
        configurationName: String?
    ) {
        versions = plan.schemas.map(Version.init)
        stages = plan.stages
        self.configuration = configuration
        self.destination = destination
        self.configurationName = configurationName
    }

    /// Executes the stages that lead from the store's version to the newest one.
    ///
    /// - Throws: An error of Cocoa's domain, such as 134504 for a store of a version that is not in the plan;
    ///   `SwiftDataError.backwardMigration`; or what a stage's block throws.
    func run() throws {
        try checkDuplicates()
        guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path),
            try needsWork(metadata())
        else { return }
        // Two programs must not migrate at the same time. The second one finds the work done.
        try StoreFolderLock(configuration.url).withLock {
            var metadata = try metadata()
            divide(metadata)
            if let (stage, version) = dueStage(metadata) {
                try finish(stage, version)
                metadata = try self.metadata()
            }
            if !isCompatible(destination, metadata) { try run(from: metadata) }
            // Of a stage that the plan no longer has.
            try mark.set(nil)
        }
    }

    private func needsWork(_ metadata: [String: Any]) -> Bool {
        !isCompatible(destination, metadata)
            || configuration.allowsSave && StagedMigrationMark.due(in: metadata) != nil
    }

    /// Returns the stage whose `didMigrate` is due, and the version that it migrates to.
    private func dueStage(_ metadata: [String: Any]) -> (stage: MigrationStage, version: Version)? {
        guard let due = StagedMigrationMark.due(in: metadata) else { return nil }
        for stage in stages {
            guard case .custom(_, let target, _, _?) = stage,
                let version = versions.first(where: { $0.type == target }), checksum(of: version) == due
            else { continue }
            return (stage, version)
        }
        return nil
    }

    /// Returns the checksum of a store with the entities of the configuration.
    private func checksum(of version: Version) -> String {
        version.model.versionChecksum(forConfigurationName: configurationName)
    }

    private func run(from metadata: [String: Any]) throws {
        guard var current = versions.lastIndex(where: { isCompatible($0.model, metadata) }) else {
            throw error(
                NSManagedObjectModelReferenceNotFoundError,
                "Cannot use staged migration with an unknown model version: the store \(configuration.url.path) was written by "
                    + "none of the plan's versions, "
                    + versions.map { "\($0.type) \($0.schema.version)" }.joined(separator: ", "))
        }
        if let target = versions.lastIndex(where: { $0.model.versionChecksum == destination.versionChecksum }),
            target < current
        {
            throw SwiftDataError(
                .backwardMigration,
                "the store \(configuration.url.path) has the version \(versions[current].schema.version), and the container's schema "
                    + "is \(versions[target].schema.version)")
        }
        var left = stages[...]
        while let next = left.firstIndex(where: { $0.fromVersion == versions[current].type }) {
            let stage = left[next]
            left = left[(next + 1)...]
            guard let target = versions.firstIndex(where: { $0.type == stage.toVersion }) else {
                throw error(
                    NSMigrationError, "the plan's stage leads to \(stage.toVersion), which is not in its `schemas`")
            }
            try run(stage, from: versions[current], to: versions[target])
            current = target
        }
        guard try isCompatible(destination, self.metadata()) else {
            throw error(
                NSMigrationError,
                "Incompatible metadata after migration because the store version hashes didn't migrate: no stage of the plan begins "
                    + "with \(versions[current].type)")
        }
    }

    /// Adds the entities of the configuration to each version's model: those that the store has, and those of the
    /// schema. Called once: models in use cannot change.
    private func divide(_ metadata: [String: Any]) {
        guard let configurationName else { return }
        let stored = (metadata[NSStoreModelVersionHashesKey] as? [String: Any]).map { Array($0.keys) } ?? []
        let current = destination.entities(forConfigurationName: configurationName)?.compactMap(\.name) ?? []
        let names = Set(stored + current)
        for version in versions {
            version.model.setEntities(
                version.model.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: configurationName
            )
        }
    }

    private func open(_ version: Version) throws -> ContainerCore {
        try ContainerCore(
            schema: version.schema, model: version.model, configuration: configuration,
            configurationName: configurationName)
    }

    private func run(_ stage: MigrationStage, from old: Version, to new: Version) throws {
        if case .custom(_, _, let willMigrate?, _) = stage { try withContext(old, willMigrate) }
        // Opening the store migrates it.
        if case .custom(_, _, _, _?) = stage, configuration.allowsSave {
            try mark.migrate(to: checksum(of: new)) { _ = try open(new) }
        } else {
            _ = try open(new)
        }
        try finish(stage, new)
    }

    /// Calls the `didMigrate` of a stage to whose version the store was migrated.
    private func finish(_ stage: MigrationStage, _ version: Version) throws {
        guard case .custom(_, _, _, let didMigrate?) = stage else { return }
        try withContext(version, didMigrate)
        try mark.set(nil)
    }

    private var mark: StagedMigrationMark { StagedMigrationMark(storeAt: configuration.url, ofType: NSSQLiteStoreType) }

    private func withContext(_ version: Version, _ body: (ModelContext) throws -> Void) throws {
        try body(ModelContext(ModelContainer(try open(version))))
    }

    private func checkDuplicates() throws {
        for (index, version) in versions.enumerated() {
            let others = versions[..<index]
            guard let other = others.first(where: { $0.model.versionChecksum == version.model.versionChecksum }) else {
                continue
            }
            throw error(
                NSMigrationError,
                "Duplicate version checksums across stages detected: \(other.type) and \(version.type) have the same properties; "
                    + "list one of them")
        }
    }

    private func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: configuration.url)
    }

    private func isCompatible(_ model: NSManagedObjectModel, _ metadata: [String: Any]) -> Bool {
        model.isConfiguration(withName: configurationName, compatibleWithStoreMetadata: metadata)
    }

    private func error(_ code: Int, _ text: String) -> NSError {
        NSError(domain: NSCocoaErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
