internal import Foundation

/// Migrates a store through the stages of an `NSStagedMigrationManager`.
///
/// Each step leaves a store of a complete version, so an interrupted migration continues with the next step when the
/// store is opened again. A `didMigrateHandler` that did not succeed is called again first; see `StagedMigrationMark`.
struct StagedMigrationRun {
    private let manager: NSStagedMigrationManager
    private let migration: StoreMigration

    /// Creates the staged migration of a store, or returns `nil` if its options contain no manager.
    init?(_ migration: StoreMigration) {
        guard let manager = Self.manager(migration.request.options) else { return nil }
        self.manager = manager
        self.migration = migration
    }

    private static func manager(_ options: [AnyHashable: Any]) -> NSStagedMigrationManager? {
        options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
    }

    /// Returns whether a handler of the stages in a store's options is due, although the store may have the model's
    /// version already.
    static func isHandlerDue(_ metadata: [String: Any], _ options: [AnyHashable: Any]) -> Bool {
        guard let manager = manager(options) else { return false }
        return dueStage(metadata, manager) != nil
    }

    private static func dueStage(
        _ metadata: [String: Any], _ manager: NSStagedMigrationManager
    ) -> NSCustomMigrationStage? {
        guard let due = StagedMigrationMark.due(in: metadata) else { return nil }
        return manager.stages.lazy.compactMap { $0 as? NSCustomMigrationStage }
            .first { $0.nextModel.versionChecksum == due }
    }

    /// Executes the stages.
    ///
    /// - Throws: An error of Cocoa's domain: 134504 for a model that cannot be found, 134505 for a store without a
    ///   version checksum, 134506 for stages that migrate backward, 134140 for a step that cannot be inferred; also
    ///   what a handler throws.
    func run() throws {
        // Two programs must not transform the data at the same time.
        try migration.withExclusiveAccess {
            var metadata = try currentMetadata()
            if let stage = Self.dueStage(metadata, manager) {
                try finish(stage, stage.nextModel.resolve())
                metadata = try currentMetadata()
            }
            guard !isCompatible(migration.request.destination, metadata) else { return }
            try run(from: metadata)
            // Of a stage that is not among these.
            try mark.set(nil)
        }
    }

    private func run(from metadata: [String: Any]) throws {
        guard let checksum = metadata[StoreMetadata.checksumKey] as? String else {
            throw MigrationErrors.error(
                .stagedMigrationFrameworkVersionMismatch,
                reason:
                    "the metadata of \(migration.request.url.path) has no version checksum: the store was written by an old framework",
                help: "Open it once with the model that it was made with, and save")
        }
        let plan = try StagePlan(
            manager.stages, from: checksum, to: migration.request.destination.versionChecksum)
        for step in plan.steps {
            switch step {
            case .lightweight(let reference): try migrate(to: reference?.resolve() ?? migration.request.destination)
            case .custom(let stage): try run(stage)
            }
        }
    }

    private func run(_ stage: NSCustomMigrationStage) throws {
        let (current, next) = (try stage.currentModel.resolve(), try stage.nextModel.resolve())
        if let handler = stage.willMigrateHandler { try withContainer(current) { try handler(manager, stage) } }
        guard stage.didMigrateHandler != nil else { return try migrate(to: next, from: current) }
        try mark.migrate(to: stage.nextModel.versionChecksum) { try migrate(to: next, from: current) }
        try finish(stage, next)
    }

    /// Calls the handler of a stage to whose version the store was migrated.
    private func finish(_ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel) throws {
        if let handler = stage.didMigrateHandler { try withContainer(model) { try handler(manager, stage) } }
        try mark.set(nil)
    }

    private var mark: StagedMigrationMark {
        StagedMigrationMark(
            storeAt: migration.request.url, ofType: migration.request.storeType, options: plainOptions)
    }

    /// Migrates the store in one step, without the stages.
    private func migrate(to model: NSManagedObjectModel, from source: NSManagedObjectModel? = nil) throws {
        let metadata = try currentMetadata()
        guard !isCompatible(model, metadata) else { return }
        let step = StoreMigration(
            MigrationRequest(
                url: migration.request.url, storeType: migration.request.storeType,
                configuration: migration.request.configuration, options: plainOptions, metadata: metadata,
                destination: model))
        try step.run(from: source ?? step.sourceModel())
    }

    private func currentMetadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: migration.request.storeType, at: migration.request.url, options: plainOptions)
    }

    private func isCompatible(_ model: NSManagedObjectModel, _ metadata: [String: Any]) -> Bool {
        model.isConfiguration(withName: migration.request.configuration, compatibleWithStoreMetadata: metadata)
    }

    private var plainOptions: [AnyHashable: Any] {
        var options = migration.request.options
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        return options
    }

    /// Runs a handler while the store is open with a model.
    private func withContainer(_ model: NSManagedObjectModel, _ body: () throws -> Void) throws {
        let container = NSPersistentContainer(
            name: migration.request.url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
        let coordinator = container.persistentStoreCoordinator
        var options = plainOptions
        options[NSMigratePersistentStoresAutomaticallyOption] = false
        let store = try coordinator.addPersistentStore(
            ofType: migration.request.storeType, configurationName: migration.request.configuration,
            at: migration.request.url, options: options
        )
        manager.container = container
        defer {
            manager.container = nil
            try? coordinator.remove(store)
        }
        try body()
    }
}
