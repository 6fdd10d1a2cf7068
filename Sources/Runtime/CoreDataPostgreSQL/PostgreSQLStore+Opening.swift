internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// Opening and creation of the schema.
extension PostgreSQLStore {
    /// The oldest server version with which the statements were tested.
    private static let oldestServer = 120_000

    /// Reads the metadata without changing anything: a rejected store is left unchanged.
    func loadMetadata() throws {
        try reporting(.persistentStoreOpen, what: "the PostgreSQL store cannot be opened") {
            let results = try runOutsideTransaction([
                Statement("SELECT current_setting('server_version_num')::integer"),
                .hasTable(metadataTable),
                Self.serverRunCommand,
            ])
            connections.serverRun = results[2].string(0, 0)
            let version = results[0].integer(0, 0) ?? 0
            guard version >= Self.oldestServer else {
                throw CoreDataError.error(
                    .persistentStoreOpen,
                    text: "the server's version is \(version / 10000), and a store needs version "
                        + "\(Self.oldestServer / 10000) or later")
            }
            guard results[1].isTrue else { return try recordNew() }
            try readMetadata()
        }
    }

    private func recordNew() throws {
        guard !isReadOnly else {
            throw CoreDataError.error(
                .persistentStoreOpen,
                text: "there is no store in the schema “\(namespace)”, and a read-only one cannot be created")
        }
        metadata = [:]
        isNew = true
    }

    private var metadataTable: String { "\(PostgreSQLName.quoted(namespace)).\"_metadata\"" }

    /// Reads the metadata of an existing store.
    private func readMetadata() throws {
        let result = try run([
            Statement(
                "SELECT \"uuid\", \"properties\", \(PostgreSQLVersionRecord.properties(namespace)), "
                    + "\(PostgreSQLVersionRecord.stamp(namespace)), \(PostgreSQLVersionRecord.upcomingProperties(namespace)), "
                    + "\(PostgreSQLVersionRecord.upcomingStamp(namespace)), \(PostgreSQLEntityNumbers.query(namespace)) "
                    + "FROM \(metadataTable) WHERE \"version\" = 1")
        ])[0]
        guard result.count == 1, let uuid = result.string(0, 0),
            let values = PostgreSQLVersionRecord.metadata(result, column: 1, version: 2),
            let numbers = PostgreSQLEntityNumbers.numbers(result.string(0, 6))
        else {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the metadata in the schema “\(namespace)” cannot be read")
        }
        identifier = uuid
        entityNumbers = numbers
        isNew = false
        hasUnsavedMetadata = false
        (metadata, connections.version) = (values, .init(stamp: result.string(0, 3)))
        // During an online migration, programs of both versions have the store open.
        guard let stamp = result.string(0, 5), let model = host?.managedObjectModel, !isCompatible(model, values),
            let upcoming = PostgreSQLVersionRecord.metadata(result, column: 1, version: 4),
            isCompatible(model, upcoming)
        else { return }
        (metadata, connections.version) = (upcoming, .init(stamp: stamp, isUpcoming: true))
    }

    private func isCompatible(_ model: NSManagedObjectModel, _ metadata: [String: Any]) -> Bool {
        model.isConfiguration(withName: requestedConfiguration, compatibleWithStoreMetadata: metadata)
    }

    /// Creates the store if it is new, and locates the model's properties in the database.
    func loadContents() throws {
        try reporting(.persistentStoreOpen, what: "the PostgreSQL store cannot be opened") {
            guard let host else { return }
            let model = host.managedObjectModel
            var schema = try makeSchema(model)
            if isNew {
                try create(schema, model: model, host: host)
                // Another program may have been faster.
                if !entityNumbers.isEmpty { schema = try makeSchema(model) }
            } else {
                try dropObsoleteKeys(schema, model)
            }
            use(schema, host)
            try history.open(self)
            try beginHearing()
        }
    }

    private func makeSchema(_ model: NSManagedObjectModel) throws -> PostgreSQLSchema {
        let entities = model.entities(forConfigurationName: requestedConfiguration) ?? []
        do {
            return try PostgreSQLSchemaBuilder.schema(
                of: entities, namespace: namespace, partitions: settings.partitions, keeping: entityNumbers)
        } catch let failure as PostgreSQLSchemaBuilder.Failure {
            throw CoreDataError.error(
                .persistentStoreOpen, text: failure.description,
                userInfo: ["reason": "Unsupported feature in this configuration"])
        }
    }

    /// Creates everything in one transaction. Only one program does so at a time; other programs then find the store.
    private func create(
        _ schema: PostgreSQLSchema, model: NSManagedObjectModel, host: any StoreHost
    ) throws {
        let lock = Statement(
            "SELECT pg_advisory_xact_lock(hashtext($1))", [PostgreSQLValue("modelc:\(namespace)")])
        // Not to_regclass: the server answers it from a cache that waiting for the lock does not update.
        let look = Statement(
            "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = '_metadata')", [PostgreSQLValue(namespace)])
        let statements = schema.statements.map { Statement($0) }
        let filling = options?[StoreFilling.option] as? StoreFilling
        let stored = metadata.merging(filling?.metadata ?? [:]) { _, other in other }
        let parameters = [
            PostgreSQLValue(filling?.identifier ?? identifier), try parameter(stored), Self.archive(of: model),
        ]
        let insertion = Statement("INSERT INTO \(metadataTable) VALUES (1, $1, $2, $3)", parameters)
        let exists = try transaction([lock, look], repeats: filling == nil) { results in
            if results[1].isTrue { return true }
            _ = try run(statements + [insertion])
            if let filling {
                use(schema, host)
                try PostgreSQLRestoration(self).write(filling)
            }
            return false
        }
        guard exists else {
            connections.version = .init(stamp: nil)
            return hasUnsavedMetadata = false
        }
        try readMetadata()
        try host.checkVersion(ofStoreIn: environment)
    }

    /// Returns the compiled model, from which a copy of the store makes its schema.
    private static func archive(of model: NSManagedObjectModel) -> PostgreSQLValue {
        PostgreSQLValue(
            type: PostgreSQLValue.TypeNumber.bytea,
            bytes: try? EncodedModel(SchemaConverter.schema(of: model)).bytes)
    }

    /// Drops the foreign keys of relationships whose delete rule has become No Action since the store was created: they
    /// would reject every deletion. The rule is not part of the version hash, so the store opens without a migration.
    ///
    /// If it is not possible now, the next program that opens the store tries again.
    private func dropObsoleteKeys(_ schema: PostgreSQLSchema, _ model: NSManagedObjectModel) throws {
        guard !schema.freeReferences.isEmpty, !isReadOnly else { return }
        let free = Set(schema.freeReferences)
        let found = try run([
            Statement(
                "SELECT c.relname, a.attname, k.conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
                    + "JOIN pg_namespace n ON n.oid = c.relnamespace "
                    + "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] "
                    + "WHERE n.nspname = $1 AND k.contype = 'f' AND k.conparentid = 0", [PostgreSQLValue(namespace)]
            )
        ])[0]
        let commands = (0..<found.count).compactMap { row -> Statement? in
            guard let table = found.string(row, 0), let column = found.string(row, 1), let name = found.string(row, 2),
                free.contains(.init(table: table, column: column))
            else { return nil }
            return Statement(
                "ALTER TABLE \(schema.qualified(table)) DROP CONSTRAINT IF EXISTS \(PostgreSQLName.quoted(name))")
        }
        guard !commands.isEmpty else { return }
        // During an online migration, the model in the store is still that of the old version.
        let noting =
            connections.version?.isUpcoming == true
            ? []
            : [
                Statement(
                    "UPDATE \(metadataTable) SET \"model\" = $1 WHERE \"version\" = 1", [Self.archive(of: model)])
            ]
        do {
            // Programs that only read hold locks, too, as long as they use a query generation.
            try transaction([Statement("SET LOCAL lock_timeout = '5s'")] + commands + noting) { _ in }
        } catch let failure as PostgreSQLError where ["42501", "55P03"].contains(failure.code) {
            Log.error(
                "Foreign keys in the schema “\(namespace)” do not fit the delete rule No Action, and deletions that they reject "
                    + "fail; open the store while no other program uses it, as a role that owns its tables: \(failure.report)"
            )
        }
    }

    /// Returns the metadata in the form stored in the database.
    private func parameter(_ metadata: [String: Any]) throws -> PostgreSQLValue {
        guard let list = PropertyListValue(foundation: metadata) else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                text: "a store's metadata must be strings, numbers, dates, bytes, arrays or dictionaries of these",
                userInfo: ["metadata": metadata])
        }
        return PostgreSQLValue(type: PostgreSQLValue.TypeNumber.bytea, bytes: list.binaryBytes())
    }

    /// The statement that reads the metadata, and keeps other programs from writing them.
    var metadataSelection: Statement {
        var own = PostgreSQLVersionRecord.properties(namespace)
        if let version = connections.version, version.isUpcoming, let stamp = version.stamp {
            own = PostgreSQLVersionRecord.own("properties", stamp: stamp, namespace)
        }
        return Statement("SELECT \"properties\", \(own) FROM \(metadataTable) WHERE \"version\" = 1 FOR UPDATE")
    }

    /// Writes the metadata: those of other programs with the changes made here. A transaction must be open.
    ///
    /// - Parameter current: The result of `metadataSelection`.
    /// - Returns: The metadata that were written.
    func writeMetadata(over current: Rows) throws -> [String: Any] {
        guard let known = PostgreSQLVersionRecord.metadata(current, column: 0, version: 1) else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the metadata in the schema “\(namespace)” cannot be read")
        }
        var all = metadata(changing: known)
        (all[NSStoreTypeKey], all[NSStoreUUIDKey]) = (type, identifier)
        // The store keeps its version until the online migration has ended.
        let own = PostgreSQLVersionRecord.ownMetadata(current, column: 0) ?? [:]
        let stored =
            connections.version?.isUpcoming == true
            ? PostgreSQLVersionRecord.metadata(all, version: PostgreSQLVersionRecord.version(of: own)) : all
        _ = try run([
            Statement(
                "UPDATE \(metadataTable) SET \"uuid\" = $1, \"properties\" = $2 WHERE \"version\" = 1",
                [PostgreSQLValue(identifier), try parameter(stored)])
        ])
        return all
    }
}
