internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// A store in a PostgreSQL database that is not open: its metadata, its deletion, and copies of it.
struct PostgreSQLDatabase {
    let url: URL
    private let settings: PostgreSQLSettings
    let namespace: String

    /// - Parameter options: The options with which the store is added. The default schema is `coredata`.
    init(_ url: URL, _ options: [AnyHashable: Any], configuration: String? = nil) {
        self.url = url
        settings = PostgreSQLSettings(options)
        namespace = settings.namespace(of: configuration)
    }

    init(_ store: StoreAddress) {
        self.init(store.url, store.options ?? [:], configuration: store.configuration)
    }

    func qualified(_ table: String) -> String {
        "\(PostgreSQLName.quoted(namespace)).\(PostgreSQLName.quoted(table))"
    }

    /// Runs a closure with a dedicated connection.
    ///
    /// - Throws: `PostgreSQLError`, and what the closure throws.
    func withOwnSession<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let pool = try ConnectionPool(url.absoluteString, limit: 1, settings)
        defer { pool.close() }
        return try pool.withConnection(body)
    }

    /// Runs a closure with a dedicated connection, and converts server errors to Core Data errors.
    func withSession<Result>(
        _ code: CocoaError.Code, what: String, body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        do {
            return try withOwnSession(body)
        } catch let failure as PostgreSQLError {
            throw failure.cocoaError(code, what)
        }
    }

    func hasTable(_ name: String, _ session: PostgreSQLConnection) throws -> Bool {
        try session.run([.hasTable(qualified(name))])[0].isTrue
    }

    /// Returns the number of transactions in the history.
    func transactionCount(_ session: PostgreSQLConnection) throws -> Int {
        guard try hasTable("_transactions", session) else { return 0 }
        let result = try session.run([Statement("SELECT count(*) FROM \(qualified("_transactions"))")])[0]
        return Int(result.integer(0, 0) ?? 0)
    }

    // MARK: Metadata

    func metadata() throws -> [String: Any] {
        try withSession(.persistentStoreOpen, what: "the metadata of the PostgreSQL store cannot be read") {
            try contents($0).metadata
        }
    }

    /// Replaces the metadata. Keeps the type and the UUID unless others are given.
    func setMetadata(_ metadata: [String: Any]) throws {
        try withSession(.persistentStoreSave, what: "the metadata of the PostgreSQL store cannot be written") {
            session in
            // Throws if there is no store.
            if try !hasTable("_metadata", session) { _ = try contents(session) }
            // Another program may write the metadata, or migrate the store, at the same time.
            _ = try session.run([
                Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
                Statement("SELECT 1 FROM \(qualified("_metadata")) FOR UPDATE"),
            ])
            let known = try contents(session)
            var metadata = StoreMetadata.metadata(metadata, keepingVersionOf: known.metadata)
            metadata[NSStoreTypeKey] = "PostgreSQL"
            let uuid = metadata[NSStoreUUIDKey] as? String ?? known.uuid
            metadata[NSStoreUUIDKey] = uuid
            // A program may set another version.
            let version = PropertyListValue(foundation: PostgreSQLVersionRecord.version(of: metadata))
            guard let list = PropertyListValue(foundation: metadata), let version else {
                throw CoreDataError.error(
                    .persistentStoreOperation,
                    text:
                        "a store's metadata must be strings, numbers, dates, bytes, arrays or dictionaries of these",
                    userInfo: ["metadata": metadata])
            }
            _ = try session.run([
                Statement(
                    "UPDATE \(qualified("_metadata")) SET \"uuid\" = $1, \"properties\" = $2 WHERE \"version\" = 1",
                    [
                        PostgreSQLValue(uuid),
                        PostgreSQLValue(
                            type: PostgreSQLValue.TypeNumber.bytea, bytes: list.binaryBytes()),
                    ]),
                Statement(
                    "UPDATE \(qualified("_metadata")) SET \"properties\" = $1 WHERE \"version\" = 2",
                    [PostgreSQLValue(type: PostgreSQLValue.TypeNumber.bytea, bytes: version.binaryBytes())]),
                Statement("COMMIT"),
            ])
        }
    }

    /// The contents of `_metadata`.
    struct Contents {
        var uuid: String
        var metadata: [String: Any]
        /// The compiled model.
        var model: [UInt8]?
        /// The stamp of the last migration; `nil` if there was none.
        var stamp: String?

        /// The model with which the store was created, or to which it was migrated.
        var storedModel: NSManagedObjectModel? { Self.model(model) }

        /// Returns a compiled model in a row of `_metadata`, or `nil` if it cannot be read.
        static func model(_ bytes: [UInt8]?) -> NSManagedObjectModel? {
            guard let bytes, let decoded = try? DecodedModel(bytes, name: "_metadata") else { return nil }
            return try? NSManagedObjectModel(decoded)
        }
    }

    /// Returns the copy of the model in the database, or `nil` if there is none.
    func storedModel() -> NSManagedObjectModel? {
        try? withSession(.persistentStoreOpen, what: "the model in the PostgreSQL store cannot be read") {
            try contents($0).storedModel
        }
    }

    /// Reads the contents of `_metadata`.
    ///
    /// - Throws: An error with the code 134080 if there is no store.
    func contents(_ session: PostgreSQLConnection) throws -> Contents {
        guard try hasTable("_metadata", session) else {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "there is no store in the schema “\(namespace)”",
                userInfo: [NSURLErrorKey: url])
        }
        let result = try session.run([
            Statement(
                "SELECT \"uuid\", \"properties\", \"model\", \(PostgreSQLVersionRecord.properties(namespace)), "
                    + "\(PostgreSQLVersionRecord.stamp(namespace)) FROM \(qualified("_metadata")) WHERE \"version\" = 1"
            )
        ])[0]
        guard result.count == 1, let uuid = result.string(0, 0),
            var metadata = PostgreSQLVersionRecord.metadata(result, column: 1, version: 3)
        else {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the metadata in the schema “\(namespace)” cannot be read",
                userInfo: [NSURLErrorKey: url])
        }
        metadata[NSStoreTypeKey] = "PostgreSQL"
        metadata[NSStoreUUIDKey] = uuid
        let model = result.bytes(0, 2).map { [UInt8]($0) }
        if metadata[StoreMetadata.checksumKey] == nil {
            metadata[StoreMetadata.checksumKey] =
                Contents(uuid: uuid, metadata: [:], model: model)
                .storedModel?.versionChecksum
        }
        return Contents(
            uuid: uuid, metadata: metadata, model: model,
            stamp: result.string(0, 4))
    }

    // MARK: Tables

    /// Returns the numbers of the entities, by name.
    func entityNumbers(_ session: PostgreSQLConnection) throws -> [String: Int] {
        let result = try session.run([Statement("SELECT \(PostgreSQLEntityNumbers.query(namespace))")])[0]
        guard let numbers = PostgreSQLEntityNumbers.numbers(result.string(0, 0)) else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the entities in the schema “\(namespace)” cannot be read",
                userInfo: [NSURLErrorKey: url])
        }
        return numbers
    }

    /// Returns the schema that a store was created with, derived from the model in it.
    ///
    /// - Parameter namespace: The namespace for the tables.
    func schema(
        _ contents: Contents, _ session: PostgreSQLConnection, namespace: String, partitions: Int
    ) throws -> PostgreSQLSchema {
        let numbers = try entityNumbers(session)
        guard let model = contents.storedModel else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the schema “\(self.namespace)” has no copy of the store's model",
                userInfo: [NSURLErrorKey: url])
        }
        return try PostgreSQLSchemaBuilder.schema(
            of: model.entities.filter { numbers[$0.name ?? ""] != nil }, namespace: namespace,
            partitions: partitions, keeping: numbers)
    }

    /// Deletes the store's tables, and the schema if nothing else is in it. A no-op if there is no store.
    func destroy() throws {
        try withSession(.persistentStoreOperation, what: "the PostgreSQL store cannot be destroyed") { session in
            guard try hasTable("_metadata", session) else { return }
            _ = try session.run([Statement("BEGIN ISOLATION LEVEL READ COMMITTED")])
            try drop(session)
            let others = try session.run([
                Statement(
                    "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) "
                        + "+ (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid) "
                        + "+ (SELECT count(*) FROM pg_type WHERE typnamespace = n.oid) FROM pg_namespace n WHERE nspname = $1",
                    [PostgreSQLValue(namespace)])
            ])[0].integer(0, 0)
            if others == 0 {
                _ = try session.run([Statement("DROP SCHEMA \(PostgreSQLName.quoted(namespace))")])
            }
            _ = try session.run([Statement("COMMIT")])
        }
    }

    /// Drops the store's tables. Throws an error if other database objects depend on them. A transaction must be open.
    func drop(_ session: PostgreSQLConnection) throws {
        let schema = try schema(try contents(session), session, namespace: namespace, partitions: 0)
        var tables = Set((schema.tables + schema.joinTables).map(\.name) + PostgreSQLSchema.reservedTables)
        if let upcoming = try upcomingSchema(session) {
            tables.formUnion((upcoming.tables + upcoming.joinTables).map(\.name))
        }
        // They have to be found while their triggers are there.
        let functions = try onlineFunctions(of: tables, session)
        _ = try session.run(
            [Statement("DROP TABLE IF EXISTS \(tables.sorted().map(qualified).joined(separator: ", "))")]
                + functions.map { Statement("DROP FUNCTION \(qualified($0))()") })
    }

    /// Returns the schema of the version to which the store is being migrated online, or `nil` if it is not.
    private func upcomingSchema(_ session: PostgreSQLConnection) throws -> PostgreSQLSchema? {
        let row = try session.run([
            Statement("SELECT \"properties\", \"model\" FROM \(qualified("_metadata")) WHERE \"version\" = 3")
        ])[0]
        guard row.count > 0 else { return nil }
        guard let model = Contents.model(row.bytes(0, 1).map { [UInt8]($0) }),
            let names = PostgreSQLVersionRecord.ownMetadata(row, column: 0).flatMap(StoreMetadata.entityHashes)
        else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                text: "the schema “\(namespace)” has no copy of the model to which the store is being migrated",
                userInfo: [NSURLErrorKey: url])
        }
        return try PostgreSQLSchemaBuilder.schema(
            of: model.entities.filter { names[$0.name ?? ""] != nil }, namespace: namespace)
    }

    /// Returns the names of the functions that an online migration has made for triggers of some tables.
    private func onlineFunctions(of tables: Set<String>, _ session: PostgreSQLConnection) throws -> [String] {
        let list = tables.map(PostgreSQLName.literal).joined(separator: ", ")
        let names = try session.run([
            Statement(
                "SELECT DISTINCT p.proname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                    + "JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_namespace n ON n.oid = p.pronamespace "
                    + "WHERE n.nspname = $1 AND c.relnamespace = n.oid AND c.relname IN (\(list)) "
                    + "AND starts_with(p.proname, $2) ORDER BY 1",
                [PostgreSQLValue(namespace), PostgreSQLValue(PostgreSQLOnlinePlan.functionPrefix)])
        ])[0]
        return (0..<names.count).compactMap { names.string($0, 0) }
    }

    // MARK: Copies

    /// The most rows, and about the most bytes, that are read at once.
    private static let copied = (rows: 5000, bytes: 8 << 20)

    /// Replaces the store with a copy of another, with the same UUID. The two may be in different databases. A failure
    /// leaves the store unchanged.
    func replace(with source: PostgreSQLDatabase) throws {
        try source.withSession(.persistentStoreOperation, what: "the PostgreSQL store cannot be copied") { input in
            _ = try input.run([
                PostgreSQLConnection.beginStatement(.repeatableRead, readOnly: true), Statement("SELECT 1"),
            ])
            let contents = try source.contents(input)
            let schema = try source.schema(contents, input, namespace: namespace, partitions: settings.partitions)
            let hasHistory = try source.hasTable("_history", input)
            try withSession(.persistentStoreOperation, what: "the PostgreSQL store cannot be replaced") { output in
                _ = try output.run([Statement("BEGIN ISOLATION LEVEL READ COMMITTED")])
                if try hasTable("_metadata", output) { try drop(output) }
                let history = hasHistory ? PostgreSQLHistory.statements(namespace).dropLast() : []
                _ = try output.run((schema.statements + history).map { Statement($0) })
                for table in schema.tables + schema.joinTables {
                    try copy(table.name, columns: table.columns.map(\.name), from: source, input: input, to: output)
                    if let sequence = table.sequence {
                        try copySequence(sequence, from: source, input, to: output)
                    }
                }
                try copy(
                    "_metadata", columns: ["version", "uuid", "properties", "model"], from: source, input: input,
                    to: output)
                // The tables are those of the old version.
                _ = try output.run([Statement(PostgreSQLVersionRecord.announcementEnd(namespace: namespace))])
                if hasHistory {
                    try copyHistory(from: source, input, to: output)
                    // A later version may have other entities with the numbers of those that are not copied.
                    let numbers = schema.entities.map { String($0.number) }.joined(separator: ", ")
                    _ = try output.run([
                        Statement("DELETE FROM \(qualified("_changes")) WHERE NOT \"entity\" = ANY ('{\(numbers)}')")
                    ])
                }
                _ = try output.run([Statement("COMMIT")])
            }
        }
    }

    private func copyHistory(
        from source: PostgreSQLDatabase, _ input: PostgreSQLConnection, to output: PostgreSQLConnection
    ) throws {
        try copy("_history", columns: ["last", "last_change"], from: source, input: input, to: output)
        try copy(
            "_transactions", columns: ["number", "timestamp", "author", "context", "bundle", "process", "writer"],
            from: source, input: input, to: output)
        try copy(
            "_changes", columns: ["number", "transaction", "kind", "entity", "key", "columns", "tombstone"],
            from: source, input: input, to: output)
    }

    private func copySequence(
        _ name: String, from source: PostgreSQLDatabase, _ input: PostgreSQLConnection,
        to output: PostgreSQLConnection
    ) throws {
        let result = try input.run([
            Statement("SELECT last_value, is_called::integer::bigint FROM \(source.qualified(name))")
        ])[0]
        guard let value = result.integer(0, 0), let isCalled = result.integer(0, 1) else { return }
        _ = try output.run([
            Statement(
                "SELECT setval($1::text::regclass, $2, $3 = 1)",
                [
                    PostgreSQLValue(qualified(name)), PostgreSQLValue(value), PostgreSQLValue(isCalled),
                ])
        ])
    }

    /// Copies the rows of a table in the server's binary format.
    private func copy(
        _ table: String, columns: [String], from source: PostgreSQLDatabase, input: PostgreSQLConnection,
        to output: PostgreSQLConnection
    ) throws {
        let list = columns.map(PostgreSQLName.quoted).joined(separator: ", ")
        _ = try input.run([
            Statement(
                "DECLARE \"_rows\" NO SCROLL CURSOR FOR SELECT \(list) FROM \(source.qualified(table))")
        ])
        // The first rows show how large the next ones may be.
        var count = 16
        try output.copyIn("COPY \(qualified(table)) (\(list)) FROM STDIN (FORMAT binary)") {
            let rows = try input.run([Statement("FETCH \(count) FROM \"_rows\"")])[0]
            guard rows.count > 0 else { return nil }
            var copied = PostgreSQLRowBuffer()
            for row in 0..<rows.count {
                copied.beginRow(columns: columns.count)
                for column in columns.indices { copied.append(rows.bytes(row, column)) }
            }
            let average = max(1, copied.bytes.count / rows.count)
            count = min(max(1, Self.copied.bytes / average), Self.copied.rows, count * 16)
            return copied.bytes
        }
        _ = try input.run([Statement("CLOSE \"_rows\"")])
    }
}
