internal import CompiledModel
internal import Foundation

/// Opening and creation of the schema.
extension PostgreSQLStore {
    /// The oldest server version with which the statements were tested.
    private static let oldestServer = 120_000

    /// Reads the metadata without changing anything: a rejected store is left unchanged.
    func open() throws {
        try reporting(.persistentStoreOpen, "the PostgreSQL store cannot be opened") {
            let table = "\(PostgreSQLName.quoted(namespace)).\"_metadata\""
            let results = try runAlone([
                PostgreSQLCommand("SELECT current_setting('server_version_num')::integer"),
                PostgreSQLCommand("SELECT to_regclass($1) IS NOT NULL", [PostgreSQLParameter(table)]),
                Self.serverRunCommand,
            ])
            connections.serverRun = results[2].text(0, 0)
            let version = results[0].integer(0, 0) ?? 0
            guard version >= Self.oldestServer else {
                throw CoreDataError.error(
                    .persistentStoreOpen,
                    "the server's version is \(version / 10000), and a store needs version "
                        + "\(Self.oldestServer / 10000) or later")
            }
            guard results[1].bytes(row: 0, column: 0)?.first == 1 else { return try noteNew() }
            try readMetadata()
        }
    }

    private func noteNew() throws {
        guard !isReadOnly else {
            throw CoreDataError.error(
                .persistentStoreOpen,
                "there is no store in the schema “\(namespace)”, and a read-only one cannot be created")
        }
        metadata = [:]
        isNew = true
    }

    private var metadataTable: String { "\(PostgreSQLName.quoted(namespace)).\"_metadata\"" }

    /// Reads the metadata of an existing store.
    private func readMetadata() throws {
        let result = try run([
            PostgreSQLCommand("SELECT \"uuid\", \"properties\" FROM \(metadataTable) WHERE \"version\" = 1")
        ])[0]
        guard result.rowCount == 1, let uuid = result.text(0, 0), let bytes = result.bytes(row: 0, column: 1),
            let list = try? PropertyListValue(binary: [UInt8](bytes)),
            let values = list.foundationValue as? [String: Any]
        else {
            throw CoreDataError.error(
                .persistentStoreOpen, "the metadata in the schema “\(namespace)” cannot be read")
        }
        identifier = uuid
        metadata = values
        isNew = false
        hasUnsavedMetadata = false
    }

    /// Creates the store if it is new, and locates the model's properties in the database.
    func prepare() throws {
        try reporting(.persistentStoreOpen, "the PostgreSQL store cannot be opened") {
            guard let coordinator = persistentStoreCoordinator else { return }
            let model = coordinator.managedObjectModel
            let schema = try makeSchema(model)
            if isNew { try create(schema, model, coordinator) }
            use(schema, coordinator)
            try history.open(self)
            try beginHearing()
        }
    }

    private func makeSchema(_ model: NSManagedObjectModel) throws -> PostgreSQLSchema {
        let entities = model.entities(forConfigurationName: requestedConfiguration) ?? []
        do {
            return try PostgreSQLSchemaBuilder.schema(
                of: entities, namespace: namespace, partitions: settings.partitions)
        } catch let failure as PostgreSQLSchemaBuilder.Failure {
            throw CoreDataError.error(
                .persistentStoreOpen, failure.description, ["reason": "Unsupported feature in this configuration"])
        }
    }

    /// Creates everything in one transaction. Only one program does so at a time; the others then find the store.
    private func create(
        _ schema: PostgreSQLSchema, _ model: NSManagedObjectModel, _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        let lock = PostgreSQLCommand(
            "SELECT pg_advisory_xact_lock(hashtext($1))", [PostgreSQLParameter("modelc:\(namespace)")])
        // Not to_regclass: the server answers it from a cache that waiting for the lock does not update.
        let look = PostgreSQLCommand(
            "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = '_metadata')", [PostgreSQLParameter(namespace)])
        let statements = schema.statements.map { PostgreSQLCommand($0) }
        let archive = try? EncodedModel(SchemaConverter.schema(of: model)).bytes
        let parameters = [
            PostgreSQLParameter(identifier), try metadataParameter(),
            PostgreSQLParameter(type: PostgreSQLParameter.TypeNumber.bytea, bytes: archive),
        ]
        let insertion = PostgreSQLCommand("INSERT INTO \(metadataTable) VALUES (1, $1, $2, $3)", parameters)
        let isThere = try transaction([lock, look]) { results in
            if results[1].bytes(row: 0, column: 0)?.first == 1 { return true }
            _ = try run(statements + [insertion])
            return false
        }
        guard isThere else { return hasUnsavedMetadata = false }
        try readMetadata()
        try coordinator.checkVersion(of: self, options)
    }

    /// Returns the metadata in the form stored in the database.
    func metadataParameter() throws -> PostgreSQLParameter {
        guard let list = PropertyListValue(foundation: metadata ?? [:]) else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                "the metadata of a store must be texts, numbers, dates, bytes, arrays and dictionaries of these",
                ["metadata": metadata ?? [:]])
        }
        return PostgreSQLParameter(type: PostgreSQLParameter.TypeNumber.bytea, bytes: list.binaryBytes())
    }

    /// Returns the statement that writes the metadata.
    func metadataUpdate() throws -> PostgreSQLCommand {
        PostgreSQLCommand(
            "UPDATE \(metadataTable) SET \"uuid\" = $1, \"properties\" = $2 WHERE \"version\" = 1",
            [PostgreSQLParameter(identifier), try metadataParameter()])
    }
}
