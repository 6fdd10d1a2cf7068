internal import CompiledModel
internal import Foundation
internal import ModelSchema
internal import StoreFile

/// Opening and making the file.
extension SQLiteStore {
    /// Opens the file, and reads what it says of itself.
    func open() throws {
        guard fileURL.isFileURL else {
            throw CoreDataError.error(
                .persistentStoreOpen, "the store is in no file: \(fileURL.absoluteString)", [NSURLErrorKey: fileURL])
        }
        try reporting(.persistentStoreOpen, "the store at \(fileURL.path) cannot be opened") {
            let connection = try SQLiteFile(fileURL).open(isReadOnly: isReadOnly, settings)
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
            try readMetadata(connection)
        }
    }

    /// Reads the metadata, or finds that there is no store in the file yet.
    private func readMetadata(_ connection: SQLiteConnection) throws {
        if let stored = try SQLiteMetadata(connection) {
            identifier = stored.uuid
            metadata = stored.all
            isNew = false
            return
        }
        guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
            throw CoreDataError.error(
                .persistentStoreIncompatibleSchema,
                "the database at \(fileURL.path) was not made by Core Data: it has no table Z_METADATA",
                [NSURLErrorKey: fileURL])
        }
        guard !isReadOnly else {
            throw CoreDataError.error(
                .persistentStoreOpen, "there is no store at \(fileURL.path), and a read-only one cannot be made",
                [NSURLErrorKey: fileURL])
        }
        metadata = [:]
        isNew = true
    }

    /// Makes the store if it is new, and finds the places of the model's properties in the file.
    func prepare() throws {
        try reporting(.persistentStoreOpen, "the store at \(fileURL.path) cannot be opened") {
            let connection = try connection()
            guard let coordinator = persistentStoreCoordinator else { return }
            let model = coordinator.managedObjectModel
            if isNew {
                try connection.transaction(.exclusive) {
                    // Another process may have been faster.
                    if try SQLiteMetadata(connection) == nil { try create(model) }
                }
                try readMetadata(connection)
                try coordinator.checkVersion(of: self, options)
            }
            let schema = try makeSchema(model, isNew: false)
            use(schema, coordinator)
            try history.open(self, connection)
            try settings.maintain(connection)
            try notice(connection)
            beginHearing(connection)
        }
    }

    /// Makes tables, metadata and the cached model of a new store.
    private func create(_ model: NSManagedObjectModel) throws {
        let connection = try connection()
        for statement in try makeSchema(model, isNew: true).statements { try connection.execute(statement) }
        try SQLiteMetadata(metadata ?? [:], uuid: identifier).write(to: connection)
        try writeModelCache(model, connection)
    }

    private func makeSchema(_ model: NSManagedObjectModel, isNew: Bool) throws -> StoreSchema {
        let entities = model.entities(forConfigurationName: requestedConfiguration) ?? []
        let schema: StoreSchema
        let file = isNew ? nil : try FileLayout(try connection())
        do {
            schema = try SchemaBuilder.schema(of: entities, in: file)
        } catch let failure as SchemaBuilder.Failure {
            throw CoreDataError.error(
                .persistentStoreOpen, failure.description,
                [NSURLErrorKey: fileURL, "reason": "Unsupported feature in this configuration"])
        }
        if let missing = file?.missingPart(of: schema) {
            throw CoreDataError.error(
                .persistentStoreIncompatibleSchema, "the store at \(fileURL.path) lacks \(missing)",
                [NSURLErrorKey: fileURL])
        }
        return schema
    }

    /// Writes the model into the file, so that a later version of the program can tell what it was.
    private func writeModelCache(_ model: NSManagedObjectModel, _ connection: SQLiteConnection) throws {
        // A model that has no compiled form makes a store all the same; Apple's framework does without one too.
        guard let archive = try? EncodedModel(SchemaConverter.schema(of: model)).bytes,
            let content = ModelCache.content(of: archive)
        else { return }
        let statement = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        statement.bind(content, at: 1)
        try statement.run()
        statement.clear()
    }
}
