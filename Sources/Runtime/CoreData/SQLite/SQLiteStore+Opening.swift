internal import Foundation
internal import RuntimeSupport

/// Opening and creation of the file.
extension SQLiteStore {
    /// Reads the metadata without changing anything: a rejected store is left unchanged.
    func loadMetadata() throws {
        guard fileURL.isFileURL else {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the store's URL is not that of a file: \(fileURL.absoluteString)",
                userInfo: [NSURLErrorKey: fileURL])
        }
        try reporting(.persistentStoreOpen, what: "the store at \(fileURL.path) cannot be opened") {
            inspection = try file.inspect(settings)
            try readMetadata(inspection)
        }
    }

    /// Reads the metadata, or finds that the file is empty.
    private func readMetadata(_ connection: SQLiteConnection?) throws {
        if let connection {
            if let stored = try SQLiteMetadata(connection) {
                identifier = stored.uuid
                metadata = stored.all
                isNew = false
                return
            }
            guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
                throw CoreDataError.error(
                    .persistentStoreIncompatibleSchema,
                    text: "the database at \(fileURL.path) was not created by Core Data: it has no table Z_METADATA",
                    userInfo: [NSURLErrorKey: fileURL])
            }
        }
        guard !isReadOnly else {
            throw CoreDataError.error(
                .persistentStoreOpen,
                text: "there is no store at \(fileURL.path), and a read-only one cannot be created",
                userInfo: [NSURLErrorKey: fileURL])
        }
        if let reproduction = settings.reproduction { identifier = reproduction.identifier }
        metadata = [:]
        isNew = true
    }

    /// Creates the store if it is new, and locates the model's properties in the file.
    func loadContents() throws {
        try reporting(.persistentStoreOpen, what: "the store at \(fileURL.path) cannot be opened") {
            guard let host else { return }
            let model = host.managedObjectModel
            // All problems with the store are found before anything is written.
            var schema = try makeSchema(model, isNew ? nil : inspection)
            let schemaVersion = isNew ? nil : try inspection?.schemaVersion()
            inspection = nil
            if isNew, !file.isInMemory { try StoreFolder.create(for: fileURL) }
            let connection = try connect()
            if isNew {
                try connection.transaction(.exclusive) {
                    // Another process may have been faster.
                    if try SQLiteMetadata(connection) == nil { try create(schema, model) }
                }
            }
            try checkMetadata(connection, host)
            if try schemaVersion == nil || connection.schemaVersion() != schemaVersion {
                schema = try makeSchema(model, connection)
            }
            if !isReadOnly {
                try? external.droppedFiles.removeLeftovers(connection)
                StoreFiles(file, settings).finishRemovalsOfFormerStores()
            }
            use(schema, host)
            try history.open(self, connection)
            try settings.maintain(connection)
            try recordVersion(connection)
            try invalidateIfChanged(connection)
            try connection.recordLog()
            beginHearing(connection)
        }
    }

    /// Opens the connection that the store uses from then on.
    func connect() throws -> SQLiteConnection {
        let connection = try file.open(isReadOnly: isReadOnly, settings)
        if connection.isReadOnly, !isReadOnly {
            Log.error(
                "Attempt to add read-only file at path \(fileURL.path) read/write. Adding it read-only instead. "
                    + "Set NSReadOnlyPersistentStoreOption for it.")
            isReadOnly = true
        }
        openConnection = connection
        try triggerFunctions.register(on: connection)
        let code = SQLFunctions.register(on: connection.handle)
        guard code == 0 else { throw connection.failure(code) }
        return connection
    }

    /// Reads the metadata of a store that was just created, or was changed by another process since it was inspected.
    private func checkMetadata(_ connection: SQLiteConnection, _ host: any StoreHost) throws {
        guard let stored = try SQLiteMetadata(connection) else { return try readMetadata(connection) }
        let hashes = StoreMetadata.entityHashes(in: stored.values)
        guard isNew || stored.uuid != identifier || hashes != nil && hashes != StoreMetadata.entityHashes(in: metadata)
        else { return }
        try readMetadata(connection)
        try host.checkVersion(ofStoreIn: environment)
    }

    /// Creates tables, metadata and the cached model of a new store.
    private func create(_ schema: StoreSchema, _ model: NSManagedObjectModel) throws {
        let connection = try connection()
        for statement in schema.statements { try connection.execute(statement) }
        try SQLiteMetadata(metadata, uuid: identifier).write(to: connection)
        try StoredModel.write(StoredModel.content(of: model), to: connection)
    }

    /// Returns the schema for a model.
    ///
    /// - Parameter connection: A connection to the store; `nil` for a new one.
    private func makeSchema(_ model: NSManagedObjectModel, _ connection: SQLiteConnection?) throws -> StoreSchema {
        let entities = model.entities(forConfigurationName: requestedConfiguration) ?? []
        let schema: StoreSchema
        let file = try connection.map { try FileLayout($0) }
        do {
            schema = try SchemaBuilder.schema(of: entities, in: file)
        } catch let failure as SchemaBuilder.Failure {
            throw CoreDataError.error(
                .persistentStoreOpen, text: failure.description,
                userInfo: [NSURLErrorKey: fileURL, "reason": "Unsupported feature in this configuration"])
        }
        if let missing = file?.missingPart(of: schema) {
            throw CoreDataError.error(
                .persistentStoreIncompatibleSchema, text: "the store at \(fileURL.path) lacks \(missing)",
                userInfo: [NSURLErrorKey: fileURL])
        }
        return schema
    }
}
