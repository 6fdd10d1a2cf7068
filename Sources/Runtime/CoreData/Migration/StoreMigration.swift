internal import Foundation
internal import RuntimeSupport

/// The migration of a store that was created with another version of the model: the models and the kind of migration.
///
/// The stages of an `NSStagedMigrationManager` take precedence, then a mapping model in the bundles. Without either,
/// the migration is inferred: SQLite and PostgreSQL stores are migrated in place, others by a manager (`CopyingMigration`).
struct StoreMigration {
    /// The location of the store.
    let url: URL
    /// The type of the store.
    let storeType: String
    /// The configuration whose entities the store contains; `nil` for all.
    let configuration: String?
    /// The options with which the store is added.
    let options: [AnyHashable: Any]
    /// The store's metadata.
    let metadata: [String: Any]
    /// The model that the store is migrated to.
    let destination: NSManagedObjectModel

    /// Creates the migration that a store needs, or returns `nil` if it has the model's version or no migration was
    /// requested.
    ///
    /// - Parameter store: a store whose metadata was read.
    init?(of store: NSPersistentStore, to model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) {
        let options = options ?? [:]
        guard options.isOn(NSMigratePersistentStoresAutomaticallyOption),
            !options.isOn(NSIgnorePersistentStoreVersioningOption), let url = store.url, let metadata = store.metadata,
            StoreMetadata.entityHashes(in: metadata) != nil,
            !model.isConfiguration(withName: store.requestedConfiguration, compatibleWithStoreMetadata: metadata)
        else { return nil }
        self.url = url
        self.options = options
        self.metadata = metadata
        storeType = store.type
        configuration = store.requestedConfiguration
        destination = model
    }

    /// Returns whether a store still has the version that the migration starts from.
    ///
    /// - Parameter metadata: the store's metadata, read again.
    func isStillNeeded(for metadata: [String: Any]?) -> Bool {
        metadata.flatMap(StoreMetadata.entityHashes) == StoreMetadata.entityHashes(in: self.metadata)
    }

    /// Returns whether an error may be due to another process that has migrated the store since its metadata was read.
    ///
    /// The state of the store does not tell: the steps of a staged migration change it before a later one fails. They read
    /// the metadata again themselves, as all other migrations do once they have found the model.
    func mayBeOutdated(_ error: NSError) -> Bool {
        error.code == CocoaError.Code.migrationMissingSourceModel.rawValue
            && options[NSPersistentStoreStagedMigrationManagerOptionKey] == nil
    }

    /// Migrates the store, which must not be open.
    ///
    /// - Throws: an `NSError` of Cocoa's domain: 134130 if the store's model cannot be found, 134140 if there is no
    ///   mapping model and none can be inferred, 134110 or 134111 if the migration fails. The store is then unchanged.
    func run() throws {
        guard !options.isOn(NSReadOnlyPersistentStoreOption) else {
            throw failure(.migration, reason: "a read-only store cannot be migrated")
        }
        if let staged = StagedMigration(self) { return try staged.run() }
        try run(from: try sourceModel())
    }

    /// Runs a closure while no other program migrates the store in stages or with a mapping model.
    func withExclusiveAccess(_ body: () throws -> Void) throws {
        if storeType == PostgreSQLStore.type {
            try PostgreSQLMigration.withLock(of: self, body)
        } else {
            try StoreFolderLock(url).withLock(body)
        }
    }

    /// Returns the model that the store was created with.
    ///
    /// - Throws: an error with the code 134130 if it cannot be found.
    func sourceModel() throws -> NSManagedObjectModel {
        let found: NSManagedObjectModel?
        do throws(SourceModelSearch.Newer) {
            found = try SourceModelSearch(metadata, destination: destination, configuration: configuration)
                .model(for: url, storeType, options)
        } catch {
            throw failure(
                .migrationMissingSourceModel,
                reason:
                    "Can't find model for source store: no version in the app's .momd made it, and its own model has \(error.dropped), "
                    + "which this version lacks; a newer version of the app probably wrote it",
                help: "Open the store with the app that wrote it, or keep every released version in the .momd.")
        }
        guard let source = found else {
            throw failure(
                .migrationMissingSourceModel, reason: "Can't find model for source store",
                help: "Keep every released version in the .momd, or build the app with the version that made the store."
            )
        }
        return source
    }

    /// Migrates the store in one step: with a mapping model from the bundles, or else by inference.
    func run(from source: NSManagedObjectModel) throws {
        if let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: destination) {
            return try CopyingMigration(self, from: source, mapping).run()
        }
        guard options.isOn(NSInferMappingModelAutomaticallyOption) else {
            throw missingMapping("there is no mapping model", source: source)
        }
        switch storeType {
        case NSSQLiteStoreType: try InPlaceMigration(self, from: source).run()
        case PostgreSQLStore.type: try PostgreSQLMigration(self, from: source).run()
        default: try CopyingMigration(self, from: source, try inferredMapping(from: source)).run()
        }
    }

    /// Returns the mapping model for a store that is not migrated in place.
    ///
    /// - Throws: an error with the code 134140, whose underlying error with the code 134190 names the entity, the
    ///   property and the reason.
    private func inferredMapping(from source: NSManagedObjectModel) throws -> NSMappingModel {
        do {
            return try MappingInference(self, from: source).mappingModel()
        } catch {
            let underlying = error as NSError
            throw missingMapping(
                "Can't find or automatically infer mapping model for migration: "
                    + (underlying.userInfo["reason"] as? String ?? underlying.localizedDescription), source: source,
                underlying: underlying)
        }
    }

    /// Returns the migration of the same store to another version, for a step of a staged migration.
    func step(
        to model: NSManagedObjectModel, metadata: [String: Any], options: [AnyHashable: Any]
    ) -> StoreMigration {
        StoreMigration(
            url: url, storeType: storeType, configuration: configuration, options: options, metadata: metadata,
            destination: model)
    }

    init(
        url: URL, storeType: String, configuration: String?, options: [AnyHashable: Any], metadata: [String: Any],
        destination: NSManagedObjectModel
    ) {
        self.url = url
        self.storeType = storeType
        self.configuration = configuration
        self.options = options
        self.metadata = metadata
        self.destination = destination
    }

    // MARK: Entities

    /// Returns the entities of the store in the model that it was created with, which may also contain those of other
    /// stores.
    func entities(of source: NSManagedObjectModel) -> [NSEntityDescription] {
        let names = Set(StoreMetadata.entityHashes(in: metadata)?.keys.map(\.self) ?? [])
        return source.entities.filter { $0.name.map(names.contains) ?? false }
    }

    /// The entities of the store in the destination model.
    var destinationEntities: [NSEntityDescription] {
        destination.entities(forConfigurationName: configuration) ?? destination.entities
    }

    // MARK: Errors

    /// Returns the error 134140.
    func missingMapping(_ reason: String, source: NSManagedObjectModel, underlying: NSError? = nil) -> NSError {
        var userInfo: [String: Any] = ["sourceModel": source, "destinationModel": destination]
        userInfo[NSUnderlyingErrorKey] = underlying
        return failure(.migrationMissingMappingModel, reason: reason, userInfo: userInfo)
    }

    /// Returns the error for rows or values that the migration cannot convert.
    func failure(_ check: RowCheck, count: Int64) -> NSError {
        guard let property = check.property else {
            return failure(
                .migration, reason: "\(count) row\(count == 1 ? "" : "s") of “\(check.entity)” \(check.reason)",
                help: check.help, userInfo: ["entity": check.entity])
        }
        return failure(
            .migration,
            reason: "\(count) value\(count == 1 ? "" : "s") of “\(check.entity).\(property)” \(check.reason)",
            help: check.help, userInfo: ["entity": check.entity, "property": property])
    }

    /// Returns an error of the migration with the `userInfo` keys that Apple's framework uses.
    func failure(
        _ code: CocoaError.Code, reason: String, help: String? = nil, userInfo: [String: Any] = [:]
    ) -> NSError {
        var userInfo = userInfo
        userInfo["reason"] = reason
        userInfo["sourceURL"] = url
        userInfo["destinationURL"] = url
        userInfo[NSURLErrorKey] = url
        if code == .migrationMissingSourceModel {
            userInfo["URL"] = url
            userInfo["metadata"] = metadata
        }
        if let help { userInfo[NSLocalizedRecoverySuggestionErrorKey] = help }
        let text =
            "the store at \(Redaction.url(url).path) cannot be migrated: \(reason)" + (help.map { "; \($0)" } ?? "")
        return CoreDataError.error(code, text: text, userInfo: userInfo)
    }
}

extension [AnyHashable: Any] {
    /// Returns whether an option is set and true.
    func isOn(_ key: String) -> Bool { (self[key] as? NSNumber)?.boolValue ?? (self[key] as? Bool) ?? false }
}
