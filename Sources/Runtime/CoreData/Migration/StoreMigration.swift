internal import Foundation
internal import RuntimeSupport

/// The migration of a store that was created with another version of the model: the models and the kind of migration.
///
/// The stages of an `NSStagedMigrationManager` take precedence, then a mapping model in the bundles. Without either,
/// the migration is inferred: stores in databases are migrated in place, others by a manager (`CopyingMigration`).
struct StoreMigration {
    let request: MigrationRequest

    init(_ request: MigrationRequest) {
        self.request = request
    }

    /// The engine of the store's type, or `nil` for custom stores.
    var engine: (any BuiltInEngine.Type)? { StoreTypes.engine(request.storeType) }

    /// Creates the migration that a store needs, or returns `nil` if it has the model's version, with no handler of a
    /// stage due, or no migration was requested.
    ///
    /// - Parameter store: A store whose metadata was read.
    init?(of store: NSPersistentStore, to model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) {
        let options = options ?? [:]
        guard options.isOn(NSMigratePersistentStoresAutomaticallyOption),
            !options.isOn(NSIgnorePersistentStoreVersioningOption), let url = store.url, let metadata = store.metadata,
            StoreMetadata.entityHashes(in: metadata) != nil
        else { return nil }
        let isCompatible = model.isConfiguration(
            withName: store.requestedConfiguration, compatibleWithStoreMetadata: metadata)
        // A read-only store of the right version can be used, although its handler cannot run.
        let canFinish = !options.isOn(NSReadOnlyPersistentStoreOption)
        guard !isCompatible || canFinish && StagedMigrationRun.isHandlerDue(metadata, options) else { return nil }
        request = MigrationRequest(
            url: url, storeType: store.type, configuration: store.requestedConfiguration, options: options,
            metadata: metadata, destination: model)
    }

    /// Returns whether an error may be due to another process that has migrated the store since its metadata was read.
    ///
    /// The state of the store does not show that: the steps of a staged migration change it before a later one fails.
    /// They read the metadata again themselves, as all other migrations do once they have found the model.
    func mayBeOutdated(_ error: NSError) -> Bool {
        error.code == CocoaError.Code.migrationMissingSourceModel.rawValue
            && request.options[NSPersistentStoreStagedMigrationManagerOptionKey] == nil
    }

    /// Migrates the store, which must not be open.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 134130 if the store's model cannot be found, 134140 if there is no
    ///   mapping model and none can be inferred, 134110 or 134111 if the migration fails. The store is then unchanged.
    func run() throws {
        guard !request.options.isOn(NSReadOnlyPersistentStoreOption) else {
            throw request.failure(.migration, reason: "a read-only store cannot be migrated")
        }
        if let staged = StagedMigrationRun(self) { return try staged.run() }
        try run(from: try sourceModel())
    }

    /// Runs a closure while no other program migrates the store in stages or with a mapping model.
    func withExclusiveAccess(_ body: () throws -> Void) throws {
        guard let engine else { return try StoreFolderLock(request.url).withLock(body) }
        try engine.withMigrationLock(of: request, body)
    }

    /// Returns the model that the store was created with.
    ///
    /// - Throws: An error with the code 134130 if it cannot be found.
    func sourceModel() throws -> NSManagedObjectModel {
        let found: NSManagedObjectModel?
        do throws(SourceModelSearch.NewerStoreModel) {
            found = try SourceModelSearch(
                request.metadata, destination: request.destination, configuration: request.configuration
            ).model(for: request.url, request.storeType, request.options)
        } catch {
            throw request.failure(
                .migrationMissingSourceModel,
                reason:
                    "Can't find model for source store: no version in the app's .momd made it, and its own model has \(error.dropped), "
                    + "which this version lacks; a newer version of the app probably wrote it",
                help: "Open the store with the app that wrote it, or keep every released version in the .momd.")
        }
        guard let source = found else {
            throw request.failure(
                .migrationMissingSourceModel, reason: "Can't find model for source store",
                help: "Keep every released version in the .momd, or build the app with the version that made the store."
            )
        }
        return source
    }

    /// Migrates the store in one step: with a mapping model from the bundles, or else by inference.
    func run(from source: NSManagedObjectModel) throws {
        if let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: request.destination) {
            return try CopyingMigration(self, from: source, mapping).run()
        }
        guard request.options.isOn(NSInferMappingModelAutomaticallyOption) else {
            throw request.missingMapping("there is no mapping model", source: source)
        }
        if try engine?.migrateInPlace(request, from: source) == true { return }
        try CopyingMigration(self, from: source, try inferredMapping(from: source)).run()
    }

    /// Returns the mapping model for a store that is not migrated in place.
    ///
    /// - Throws: An error with the code 134140, whose underlying error with the code 134190 names the entity, the
    ///   property and the reason.
    private func inferredMapping(from source: NSManagedObjectModel) throws -> NSMappingModel {
        do {
            return try MappingModelInference(request, from: source).mappingModel()
        } catch {
            let underlying = error as NSError
            throw request.missingMapping(
                "Can't find or automatically infer mapping model for migration: "
                    + (underlying.userInfo["reason"] as? String ?? underlying.localizedDescription), source: source,
                underlying: underlying)
        }
    }
}
