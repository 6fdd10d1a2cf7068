internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Migrates a PostgreSQL store in its database, in one transaction (Sources/Runtime/Migration.md, “How a PostgreSQL
/// store is migrated”).
final class PostgreSQLMigration {
    /// The maximum number of attempts after a deadlock or a lost connection.
    private static let attempts = 5

    private let request: MigrationRequest
    private let inferred: InferredChanges
    private let database: PostgreSQLDatabase
    private let settings: PostgreSQLSettings
    private let status = MigrationStatus()

    /// Infers the changes between the versions.
    ///
    /// - Parameter source: The model that the store was created with.
    /// - Throws: An error with the code 134140 if the migration cannot be inferred.
    init(_ request: MigrationRequest, from source: NSManagedObjectModel) throws {
        self.request = request
        inferred = try InferredChanges(request, from: source, cache: InferenceCache())
        settings = PostgreSQLSettings(request.options)
        database = PostgreSQLDatabase(request.url, request.options, configuration: request.configuration)
    }

    private var timeout: Double { request.timeout }

    /// Runs a closure while no other program migrates the store in several transactions.
    static func withLock(of request: MigrationRequest, _ body: () throws -> Void) throws {
        let database = PostgreSQLDatabase(request.url, request.options, configuration: request.configuration)
        try database.withOwnSession { session in
            let name = PostgreSQLName.literal("modelc-steps:\(database.namespace)")
            do {
                // A transaction, because a pooler may give other transactions the same connection.
                _ = try session.run(
                    [
                        "BEGIN ISOLATION LEVEL READ COMMITTED", PostgreSQLMigrationLock.timeout(request.timeout),
                        "SET LOCAL idle_in_transaction_session_timeout = 0",
                        "SELECT pg_advisory_xact_lock(hashtext(\(name)))",
                    ].map { Statement($0) })
            } catch let failure as PostgreSQLError where failure.isLockTimeout {
                throw CoreDataError.error(
                    .persistentStoreTimeout,
                    text:
                        "the store in the schema “\(database.namespace)” cannot be migrated: another program has been migrating it for "
                        + "\(request.timeout.formatted) seconds", userInfo: [NSURLErrorKey: request.url])
            }
            try body()
            _ = try? session.run([Statement("ROLLBACK")])
        }
    }

    /// Migrates the store, or waits until another program has done so.
    func run() throws {
        var attempt = 1
        while true {
            do {
                return try database.withOwnSession { try run($0) }
            } catch let failure as PostgreSQLError
                where (failure.isRepeatable || failure.isLost) && attempt < Self.attempts
            {
                // If the commit was lost, the next attempt finds the new version or the old one.
                attempt += 1
                Thread.sleep(forTimeInterval: 0.1 * Double(attempt))
                settings.observer?.report(.retry(attempt: attempt, sqlState: failure.code))
            } catch let cancellation as MigrationCancellation {
                throw cancellation.error
            } catch {
                throw described(error)
            }
        }
    }

    private func run(_ session: PostgreSQLConnection) throws {
        _ = try session.run(
            PostgreSQLMigrationLock.beginning(namespace: database.namespace, timeout: timeout).map {
                Statement($0)
            })
        guard try isNeeded(session) else {
            _ = try session.run([Statement("ROLLBACK")])
            return
        }
        let run = PostgreSQLMigrationRun(try plan(session), session)
        // One more pass for the commit.
        status.begin(passes: run.passes + 1)
        if let check = try run.failedCheck() { throw request.failure(check.check, count: check.count) }
        try run.run { finished in
            try status.check()
            status.record(Double(finished))
        }
        try status.check()
        _ = try session.run([Statement("COMMIT")])
        status.end()
    }

    /// Throws an error if the store is being migrated online.
    static func checkNoOnlineMigration(
        for request: MigrationRequest, in database: PostgreSQLDatabase, _ session: PostgreSQLConnection
    ) throws {
        let upcoming = PostgreSQLVersionRecord.upcomingStamp(database.namespace)
        guard try session.run([Statement("SELECT \(upcoming)")])[0].string(0, 0) != nil else { return }
        throw request.failure(
            .migration, reason: "the store is being migrated online to another version",
            help: "Open it with that version or the former one, or end the migration with its step “contract”.")
    }

    /// Returns whether the store is unchanged since its metadata was read. Another program may have been faster.
    private func isNeeded(_ session: PostgreSQLConnection) throws -> Bool {
        let metadata = try database.contents(session).metadata
        try Self.checkNoOnlineMigration(for: request, in: database, session)
        if request.isStillNeeded(for: metadata) { return true }
        guard
            request.destination.isConfiguration(
                withName: request.configuration, compatibleWithStoreMetadata: metadata)
        else {
            throw request.failure(.migration, reason: "another program has migrated the store to another version")
        }
        return false
    }

    private func plan(_ session: PostgreSQLConnection) throws -> PostgreSQLMigrationPlan {
        let catalog = try PostgreSQLCatalog(namespace: database.namespace, session)
        do {
            var source = try PostgreSQLSchemaBuilder.schema(
                of: inferred.sourceEntities, namespace: database.namespace,
                keeping: try database.entityNumbers(session))
            catalog.adopt(&source)
            if let missing = catalog.missingPart(of: source) {
                throw request.failure(.persistentStoreIncompatibleSchema, reason: "the store lacks \(missing)")
            }
            let destination = try PostgreSQLSchemaBuilder.schema(
                of: inferred.destinationEntities, namespace: database.namespace, partitions: settings.partitions)
            return try PostgreSQLMigrationPlan(
                inferred, source: source, destination: destination,
                version: PostgreSQLVersionRecord.version(of: request.destination, request.configuration),
                .init(missingKeys: catalog.missingKeys(of: source)))
        } catch let failure as PostgreSQLSchemaBuilder.Failure {
            throw request.failure(.migration, reason: failure.description)
        }
    }

    // MARK: Errors

    private func described(_ error: any Error) -> any Error {
        guard let failure = error as? PostgreSQLError else { return error }
        let underlying = failure.cocoaError(.persistentStoreOperation, "the migration failed")
        if failure.isLockTimeout {
            return CoreDataError.error(
                .persistentStoreTimeout,
                text:
                    "the store in the schema “\(database.namespace)” cannot be migrated: for \(timeout.formatted) seconds, another "
                    + "program has been migrating it, or has held its tables with a transaction or a query generation; end "
                    + "that, or set NSPersistentStoreTimeoutOption",
                userInfo: [NSURLErrorKey: request.url, NSUnderlyingErrorKey: underlying])
        }
        if failure.isUniqueness, let unique = failure.constraint.flatMap(unique) {
            return request.failure(
                .migrationConstraintViolation,
                reason: "rows of “\(unique.entity)” have equal values of “\(unique.properties)”, which must be unique",
                help: "Make the values unique before the migration, or remove the constraint.",
                userInfo: [
                    "entity": unique.entity, "property": unique.properties, NSUnderlyingErrorKey: underlying,
                ])
        }
        if failure.code == "42501" {
            return request.failure(
                .migration, reason: failure.report,
                help: "Migrate the store with a role that owns its tables, for example with “modelc sql apply”.",
                userInfo: [NSUnderlyingErrorKey: underlying])
        }
        return request.failure(.migration, reason: failure.report, userInfo: [NSUnderlyingErrorKey: underlying])
    }

    /// Returns the constraint of the new version that an index is for.
    private func unique(_ name: String) -> (entity: String, properties: String)? {
        let schema = try? PostgreSQLSchemaBuilder.schema(
            of: inferred.destinationEntities, namespace: database.namespace)
        for table in schema?.tables ?? [] {
            guard let unique = table.uniques.first(where: { $0.name == name }) else { continue }
            return (
                schema?.entity(number: table.root)?.name ?? table.name, unique.columns.joined(separator: ", ")
            )
        }
        return nil
    }
}

extension Double {
    /// The number without a fraction if it has none.
    fileprivate var formatted: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
