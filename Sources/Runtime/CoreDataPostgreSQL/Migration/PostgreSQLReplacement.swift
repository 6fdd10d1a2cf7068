internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// Migrates a PostgreSQL store with a mapping model: the caller writes a new store in another schema of the database,
/// whose tables then take the place of the old ones, in one transaction that keeps other programs from writing
/// meanwhile.
struct PostgreSQLReplacement {
    private let request: MigrationRequest
    private let database: PostgreSQLDatabase

    init(_ request: MigrationRequest) {
        self.request = request
        database = PostgreSQLDatabase(request.url, request.options, configuration: request.configuration)
    }

    func run(_ write: (_ old: StoreAddress, _ new: StoreAddress) throws -> Void) throws {
        var options = request.options
        // The new store's history would contain every object.
        options[NSPersistentHistoryTrackingKey] = nil
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
        options[PostgreSQLOptions.standby] = nil
        var (oldOptions, newOptions) = (options, options)
        oldOptions[PostgreSQLOptions.schema] = database.namespace
        newOptions[PostgreSQLOptions.schema] = PostgreSQLName.fitted("_migrating_\(database.namespace)")
        func address(_ options: [AnyHashable: Any]) -> StoreAddress {
            StoreAddress(
                url: request.url, type: request.storeType, options: options, configuration: request.configuration)
        }
        let new = address(newOptions)
        // Removes the remains of a killed migration.
        try? PostgreSQLDatabase(new).destroy()
        defer { try? PostgreSQLDatabase(new).destroy() }
        do {
            try database.withOwnSession { session in
                try lock(session)
                try announceLosses(session)
                try write(address(oldOptions), new)
                try replace(with: PostgreSQLDatabase(new), session)
            }
        } catch let failure as PostgreSQLError {
            throw request.failure(
                .migration, reason: failure.report,
                userInfo: [NSUnderlyingErrorKey: failure.cocoaError(.persistentStoreOperation, "the migration failed")])
        }
    }

    /// Begins a transaction during which other programs can read the store but not write to it.
    private func lock(_ session: PostgreSQLConnection) throws {
        _ = try session.run([
            Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
            Statement(PostgreSQLMigrationLock.timeout(request.timeout)),
            Statement("SET LOCAL idle_in_transaction_session_timeout = 0"),
        ])
        let schema = try database.schema(
            try database.contents(session), session, namespace: database.namespace, partitions: 0)
        let tables = ["_metadata"] + (schema.tables + schema.joinTables).map(\.name)
        _ = try session.run([
            Statement("LOCK TABLE \(tables.map(database.qualified).joined(separator: ", ")) IN SHARE MODE")
        ])
        try PostgreSQLMigration.checkNoOnlineMigration(for: request, in: database, session)
    }

    /// Logs what the new store will not have, before anything is written.
    private func announceLosses(_ session: PostgreSQLConnection) throws {
        let count = try database.transactionCount(session)
        guard count > 0 else { return }
        Log.warning(
            "the migration of the store in the schema “\(database.namespace)” with a mapping model drops its history: "
                + "transactions: \(count)")
    }

    /// Returns the statements that grant the privileges on the tables and sequences, which new ones do not have.
    private func grants(_ session: PostgreSQLConnection) throws -> [(relation: String, statement: String)] {
        let rows = try session.run([
            Statement(
                "SELECT c.relname::text, format('GRANT %s ON %s %I.%I TO %s%s', a.privilege_type, "
                    + "CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, n.nspname, c.relname, "
                    + "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, "
                    + "CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) "
                    + "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, "
                    + "LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee "
                    + "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'S') AND a.grantee <> c.relowner ORDER BY 1, 2",
                [PostgreSQLValue(database.namespace)])
        ])[0]
        return (0..<rows.count).compactMap { row in
            guard let relation = rows.string(row, 0), let statement = rows.string(row, 1) else { return nil }
            return (relation, statement)
        }
    }

    /// Replaces the tables with those of another schema, and commits.
    private func replace(with new: PostgreSQLDatabase, _ session: PostgreSQLConnection) throws {
        let contents = try new.contents(session)
        var schema = try new.schema(contents, session, namespace: new.namespace, partitions: 0)
        try PostgreSQLCatalog(namespace: new.namespace, session).adopt(&schema)
        let grants = try grants(session)
        try database.drop(session)
        let tables = (schema.tables + schema.joinTables).flatMap { [$0.name] + $0.partitionNames }
        let version = PostgreSQLVersionRecord.version(of: request.destination, request.configuration)
        var statements = (tables + ["_metadata", "_entities"]).map {
            "ALTER TABLE \(new.qualified($0)) SET SCHEMA \(PostgreSQLName.quoted(database.namespace))"
        }
        let relations = Set(tables + ["_metadata", "_entities"] + schema.tables.compactMap(\.sequence))
        statements += grants.filter { relations.contains($0.relation) }.map(\.statement)
        statements.append("DROP SCHEMA \(PostgreSQLName.quoted(new.namespace))")
        statements += PostgreSQLVersionRecord.statements(
            namespace: database.namespace, stamp: "\(version.stamp) \(UUID().uuidString)",
            properties: version.properties,
            model: version.model)
        _ = try session.run((statements + ["COMMIT"]).map { Statement($0) })
    }
}
