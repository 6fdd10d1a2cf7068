package import CoreData
internal import Foundation
internal import PostgreSQLClient
package import PostgreSQLSchema
internal import RuntimeSupport

/// The commands that look at a database with a store, and run the plan of a migration in it.
package struct PostgreSQLAdministration: DatabaseAdministration {
    private let database: PostgreSQLDatabase
    private var namespace: String { database.namespace }

    /// - Parameters:
    ///   - url: The connection URI of the database.
    ///   - namespace: The name of the schema; `nil` for the default schema.
    /// - Throws: `DatabaseFailure` if the URI is invalid.
    package init(url: String, configuration: String? = nil, namespace: String? = nil) throws(DatabaseFailure) {
        let url = try Self.checked(url)
        var options: [AnyHashable: Any] = [:]
        if let namespace { options[PostgreSQLOptions.schema] = namespace }
        database = PostgreSQLDatabase(url, options, configuration: configuration)
    }

    private func withSession<Result>(
        _ body: (PostgreSQLConnection) throws -> Result
    ) throws(DatabaseFailure) -> Result {
        do {
            return try database.withOwnSession(body)
        } catch let failure as PostgreSQLError {
            throw DatabaseFailure(reason: Redaction.text(failure.report), help: nil)
        } catch let failure as DatabaseFailure {
            throw failure
        } catch {
            throw DatabaseFailure(reason: (error as NSError).localizedDescription, help: nil)
        }
    }

    // MARK: Copies

    package var address: StoreAddress {
        get throws(DatabaseFailure) {
            StoreAddress(url: database.url, type: NSPostgreSQLStoreType, options: [PostgreSQLOptions.schema: namespace])
        }
    }

    package func contents() throws(DatabaseFailure) -> DatabaseContents? {
        try withSession { session in
            guard try database.hasTable("_metadata", session) else { return nil }
            let contents = try database.contents(session)
            return DatabaseContents(
                model: contents.storedModel, metadata: contents.metadata,
                transactions: try database.transactionCount(session))
        }
    }

    // MARK: Drift

    /// Compares the database with the schema of the model that it should have.
    ///
    /// The expected schema is created in a transaction that is rolled back, so that the server itself says how
    /// definitions are spelled; the role needs the privilege to create a schema.
    package func drift(from model: NSManagedObjectModel, configuration: String? = nil) throws(DatabaseFailure)
        -> [DatabaseDrift]
    {
        try withSession { session in
            let found = try PostgreSQLCatalog(namespace: namespace, session)
            let name = PostgreSQLName.fitted("_modelc_expected_\(UUID().uuidString)")
            let entities = model.entities(forConfigurationName: configuration) ?? []
            var own = try PostgreSQLSchemaBuilder.schema(of: entities, namespace: namespace)
            found.adopt(&own)
            let partitions = own.tables.map(\.partitions).max() ?? 0
            // Conditions of indexes may contain the numbers.
            let schema = try PostgreSQLSchemaBuilder.schema(
                of: entities, namespace: name, partitions: partitions, keeping: try database.entityNumbers(session))
            _ = try session.run(
                [Statement("BEGIN ISOLATION LEVEL READ COMMITTED")]
                    + schema.statements.map { Statement($0) })
            let expected = try PostgreSQLCatalog(namespace: name, session)
            _ = try session.run([Statement("ROLLBACK")])
            return Self.differences(found.items, expected.items)
        }
    }

    static func differences(_ found: [PostgreSQLCatalog.Item], _ expected: [PostgreSQLCatalog.Item]) -> [DatabaseDrift]
    {
        func key(_ item: PostgreSQLCatalog.Item) -> [String] { [item.kind, item.table, item.name] }
        let foundItems = Dictionary(found.map { (key($0), $0) }) { first, _ in first }
        let expectedItems = Dictionary(expected.map { (key($0), $0) }) { first, _ in first }
        let tables = Set(expected.filter { $0.kind == "table" }.map(\.name))
        func location(_ item: PostgreSQLCatalog.Item) -> String {
            switch item.kind {
            case "table", "sequence": "\(item.kind) “\(item.name)”"
            case "column": "column “\(item.table).\(item.name)”"
            default: "\(item.kind) “\(item.name)” of “\(item.table)”"
            }
        }
        let missing = expected.filter { foundItems[key($0)] == nil }
            // A missing table is reported once.
            .filter { $0.kind == "table" || $0.kind == "sequence" || foundItems[["table", $0.table, $0.table]] != nil }
            .map { DatabaseDrift(location: location($0), problem: "missing; the model has it as: \($0.definition)") }
        // Ignore tables that the store did not create.
        let added = found.filter { expectedItems[key($0)] == nil && $0.kind != "table" && tables.contains($0.table) }
            .map { DatabaseDrift(location: location($0), problem: "not part of the model: \($0.definition)") }
        let changed = found.compactMap { item -> DatabaseDrift? in
            guard let other = expectedItems[key(item)], other.definition != item.definition else { return nil }
            return DatabaseDrift(
                location: location(item), problem: "is “\(item.definition)”, and “\(other.definition)” in the model")
        }
        return missing + added + changed
    }

    // MARK: Plans

    package func entityNumbers() throws(DatabaseFailure) -> [String: Int] {
        try withSession { try database.entityNumbers($0) }
    }

    /// Runs a plan of this store's schema, and computes what the server cannot.
    ///
    /// - Parameter progress: Called with the number of finished statements and that of all.
    /// - Throws: `DatabaseFailure` with the statement that failed. The database is then unchanged.
    package func apply(_ script: String, progress: (Int, Int) -> Void = { _, _ in }) throws(DatabaseFailure) {
        let statements = PostgreSQLScript.statements(in: script)
        if statements.first == PostgreSQLOnlinePlan.marker(namespace: namespace) {
            return try withSession { session in
                for (index, statement) in statements.enumerated() {
                    try run(statement, number: index + 1, of: statements.count, session)
                    progress(index + 1, statements.count)
                }
            }
        }
        guard statements.first?.hasPrefix("BEGIN") == true, statements.last?.hasPrefix("COMMIT") == true else {
            throw DatabaseFailure(
                reason: "the plan is not one transaction: it begins with BEGIN and ends with COMMIT",
                help: "Make it with “modelc sql migrate”.")
        }
        guard statements.contains(PostgreSQLMigrationLock.table(namespace: namespace)) else {
            throw DatabaseFailure(
                reason: "the plan does not migrate the schema “\(namespace)”",
                help: "Specify the schema that the plan names in its first line: “--schema NAME”.")
        }
        try withSession { session in
            let before = try storedModel(session)
            for (index, statement) in statements.dropLast().enumerated() {
                try run(statement, number: index + 1, of: statements.count, session)
                progress(index + 1, statements.count)
            }
            if let before, let after = try storedModel(session) { try compute(from: before, to: after, session) }
            _ = try session.run([Statement("COMMIT")])
            progress(statements.count, statements.count)
        }
    }

    private func run(
        _ statement: String, number: Int, of count: Int, _ session: PostgreSQLConnection
    ) throws(DatabaseFailure) {
        do {
            _ = try session.run([Statement(statement)])
        } catch {
            let failure = error as? PostgreSQLError
            throw DatabaseFailure(
                reason:
                    "statement \(number) of \(count) failed: \(Redaction.text(failure?.report ?? "\(error)")); it is: "
                    + statement.prefix(500),
                help: failure?.isLockTimeout == true
                    ? "End the transactions that hold the tables, and run it again." : nil)
        }
    }

    /// Returns the model in the database, whose entities are all in the store; `nil` if it has none.
    private func storedModel(_ session: PostgreSQLConnection) throws -> NSManagedObjectModel? {
        let contents = try database.contents(session)
        guard contents.model != nil else { return nil }
        guard let model = contents.storedModel else {
            throw DatabaseFailure(reason: "the model in the database cannot be read", help: nil)
        }
        let stored = try database.entityNumbers(session)
        guard model.entities.allSatisfy({ $0.isAbstract || stored[$0.name ?? ""] != nil }) else {
            throw DatabaseFailure(
                reason: "the store has the entities of one configuration of the model",
                help: "Migrate it by opening it with the new version of the model.")
        }
        return model
    }

    /// Computes the values that only the runtime can compute, in a database whose statements were executed.
    private func compute(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, _ session: PostgreSQLConnection
    ) throws {
        // An online migration keeps numbers that a new store would not have.
        let plan = try PostgreSQLMigrationPlan(
            from: source, to: destination, namespace: namespace,
            newEntityNumbers: try database.entityNumbers(session))
        try PostgreSQLMigrationRun(plan, session).computeValues()
    }

    // MARK: Status

    /// Returns the state of the store.
    package func status() throws(DatabaseFailure) -> DatabaseStatus {
        try withSession { session in
            let contents = try database.contents(session)
            func hashes(_ metadata: [String: Any]) -> [String: String] {
                (StoreMetadata.entityHashes(in: metadata) ?? [:]).mapValues { data in
                    data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
                }
            }
            let upcoming = try session.run([
                Statement("SELECT \(PostgreSQLVersionRecord.upcomingProperties(namespace))")
            ])[0]
            var migrations: [String] = []
            if try database.hasTable("_migrations", session) {
                let rows = try session.run([
                    Statement(
                        "SELECT to_char(\"time\" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC by ' || \"role\" "
                            + "FROM \(database.qualified("_migrations")) ORDER BY \"number\" DESC LIMIT 20")
                ])[0]
                migrations = (0..<rows.count).compactMap { rows.string($0, 0) }
            }
            let connections = try session.run([
                Statement(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                        + "AND backend_type = 'client backend'")
            ])[0].integer(0, 0)
            return DatabaseStatus(
                uuid: contents.uuid,
                hashes: hashes(contents.metadata),
                upcomingHashes: PostgreSQLVersionRecord.ownMetadata(upcoming, column: 0).map(hashes),
                migrations: migrations, connections: Int(connections ?? 0))
        }
    }
}
