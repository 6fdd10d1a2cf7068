internal import CSQLite3
internal import Foundation

/// Migrates a SQLite store in its file, in one transaction (Sources/Runtime/Migration.md, “How a store is migrated”).
final class InPlaceMigration {
    private let request: MigrationRequest
    private let inferred: InferredChanges
    private let identity: InferenceCache.Versions
    private let cache: MigrationCache
    private let file: SQLiteFile
    private var settings: SQLiteOptions
    private let external: ExternalStorage
    private let triggerFunctions = TriggerFunctions()
    private let status = MigrationStatus()

    /// Infers the changes between the versions.
    ///
    /// - Parameters:
    ///   - source: The model that the store was created with.
    ///   - cache: The results of other migrations between the same versions.
    /// - Throws: An error with the code 134140 if the migration cannot be inferred.
    init(
        _ request: MigrationRequest, from source: NSManagedObjectModel, cache: MigrationCache = MigrationCache()
    ) throws {
        self.request = request
        self.cache = cache
        identity = InferenceCache.Versions(source, request)
        inferred = try cache.inference.changes(request, from: source)
        file = SQLiteFile(request.url)
        settings = SQLiteOptions(request.options)
        if request.options[NSPersistentStoreTimeoutOption] == nil { settings.timeout = MigrationRequest.defaultTimeout }
        external = ExternalStorage(file, settings)
    }

    /// Migrates the store, or waits until another process has done so.
    func run() throws {
        do {
            let connection = try file.open(isReadOnly: false, settings)
            defer { connection.close() }
            guard !connection.isReadOnly else {
                throw request.failure(.migration, reason: "Cannot migrate store in-place: the file is read-only")
            }
            try prepare(connection)
            let cancellation = MigrationInterrupt(status, connection)
            defer { cancellation.remove() }
            try connection.transaction(.immediate) {
                if try isNeeded(connection) { try migrate(connection) }
            }
            external.didCommit(connection)
            try? external.droppedFiles.removeLeftovers(connection)
        } catch {
            external.didFail()
            // SQLite only reports that a statement was interrupted.
            do { try status.check() } catch let cancellation as MigrationCancellation { throw cancellation.error }
            throw described(error)
        }
    }

    /// Returns the plan of the migration and what it drops, without changing the file and its folder.
    ///
    /// - Throws: An error with the code 134110 if values do not fit the new version.
    func preview() throws -> (plan: InPlacePlan, losses: [MigrationLoss]) {
        do {
            guard let connection = try file.inspect(settings) else {
                throw request.failure(.migration, reason: "the file is not a store")
            }
            defer { connection.close() }
            try prepare(connection)
            let plan = try plan(connection).plan
            try check(plan, connection)
            return (plan, try losses(plan, connection))
        } catch {
            throw described(error)
        }
    }

    private func prepare(_ connection: SQLiteConnection) throws {
        try triggerFunctions.register(on: connection)
        let code = SQLFunctions.register(on: connection.handle)
        guard code == SQLITE_OK else { throw connection.failure(code) }
        try MigrationFunctions.register(on: connection, external)
        // The app's triggers and views keep referring to the same table names.
        try connection.execute("PRAGMA legacy_alter_table = ON")
    }

    /// Returns whether the store is unchanged since the migration was planned. Another process may have been faster.
    private func isNeeded(_ connection: SQLiteConnection) throws -> Bool {
        guard let stored = try SQLiteMetadata(connection) else {
            throw request.failure(.migration, reason: "the file is no longer a store")
        }
        let hashes = StoreMetadata.entityHashes(in: stored.values)
        if hashes == StoreMetadata.entityHashes(in: request.metadata) { return true }
        guard
            request.destination.isConfiguration(
                withName: request.configuration, compatibleWithStoreMetadata: stored.all)
        else {
            throw request.failure(.migration, reason: "another process has migrated the store to another version")
        }
        return false
    }

    // MARK: The transaction

    private func plan(_ connection: SQLiteConnection) throws -> MigrationCache.Plan {
        let layout = try FileLayout(connection)
        let constrained = try Self.constrainedTables(connection)
        return try cache.plan(identity, layout: layout, constrained: constrained) { try makePlan(layout, constrained) }
    }

    private func makePlan(
        _ layout: FileLayout, _ constrained: Set<String>
    ) throws -> (versions: VersionPairs<StoreSchema>, plan: InPlacePlan) {
        let source = try schema { try SchemaBuilder.schema(of: inferred.sourceEntities, in: layout) }
        if let missing = layout.missingPart(of: source) {
            throw request.failure(.persistentStoreIncompatibleSchema, reason: "the store lacks \(missing)")
        }
        let destination = try schema {
            try SchemaBuilder.schema(of: inferred.destinationEntities, migratedFrom: layout)
        }
        let versions = VersionPairs(inferred, source: source, destination: destination)
        return (versions, try InPlacePlan(versions, constrained: constrained))
    }

    private func migrate(_ connection: SQLiteConnection) throws {
        let planned = try plan(connection)
        let (versions, plan) = (planned.versions, planned.plan)
        // One more pass for the indexes, keys and metadata.
        status.begin(passes: plan.statements.count + 1)
        try check(plan, connection)
        if plan.rows.losesData { try MigrationBackup(request, file).make() }
        for query in plan.rows.lostExternalValues { try dropFiles(query, connection) }
        let objects = MigrationObjects(request: request, destination: versions.destination, connection: connection)
        try objects.dropFormer(updated: plan.rows.updatedTables)
        try DeferredCleanup.run(connection)
        for (index, statement) in plan.statements.enumerated() {
            try status.check()
            try Self.run(statement, connection)
            status.record(Double(index + 1))
        }
        let isDeferred = request.options.isOn(NSPersistentStoreDeferredLightweightMigrationOptionKey)
        if !isDeferred { try DeferredCleanup.run(connection) }
        try MigratedKeys(versions).write(to: connection)
        try MigratedHistory(versions).write(to: connection)
        try objects.createIndexes()
        try MigratedDerivations(versions, external).write(to: connection, isAdditive: plan.isAdditive)
        try objects.createConstraints()
        try writeVersion(connection, needsCleanup: isDeferred && !plan.oldTables.isEmpty)
        try external.prepare(connection)
        try status.check()
        status.end()
    }

    private func schema(_ body: () throws -> StoreSchema) throws -> StoreSchema {
        do {
            return try body()
        } catch let failure as SchemaBuilder.Failure {
            throw request.failure(.migration, reason: failure.description)
        }
    }

    /// Returns the tables that declare constraints, as old frameworks did.
    private static func constrainedTables(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let statement = try connection.statement(
            "SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NULL AND name LIKE 'sqlite_autoindex_%'"
        )
        defer { statement.reset() }
        var result: Set<String> = []
        while try statement.step() { result.insert(SQLName.key(statement.text(0))) }
        return result
    }

    private func check(_ plan: InPlacePlan, _ connection: SQLiteConnection) throws {
        for check in plan.rows.checks {
            let statement = try connection.statement(check.query.text)
            defer { statement.reset() }
            statement.bind(check.query.arguments)
            guard try statement.step(), statement.integer(0) > 0 else { continue }
            throw request.failure(check, count: statement.integer(0))
        }
    }

    /// Counts what a plan drops.
    private func losses(_ plan: InPlacePlan, _ connection: SQLiteConnection) throws(SQLiteError) -> [MigrationLoss] {
        var result: [MigrationLoss] = []
        for loss in plan.rows.losses {
            let statement = try connection.statement(loss.query.text)
            defer { statement.reset() }
            statement.bind(loss.query.arguments)
            guard try statement.step(), statement.integer(0) > 0 else { continue }
            result.append(
                MigrationLoss(entity: loss.entity, property: loss.property, count: Int(statement.integer(0))))
        }
        return result
    }

    /// Schedules the deletion of the external files of rows that are about to be removed.
    private func dropFiles(_ query: SQLFragment, _ connection: SQLiteConnection) throws {
        let statement = try connection.statement(query.text)
        defer { statement.reset() }
        while try statement.step() {
            if let name = ExternalStorage.fileName(in: statement.bytes(0)) { external.drop(name) }
        }
    }

    /// Runs a statement with its arguments.
    static func run(_ fragment: SQLFragment, _ connection: SQLiteConnection) throws(SQLiteError) {
        // SQLite itself recompiles statements that were prepared before the tables changed.
        let statement = try connection.statement(fragment.text)
        statement.bind(fragment.arguments)
        try statement.run()
        statement.clear()
    }

    /// Writes the metadata and the copy of the model.
    private func writeVersion(_ connection: SQLiteConnection, needsCleanup: Bool) throws {
        guard let stored = try SQLiteMetadata(connection) else { return }
        var values = StoreMetadata.metadata(stored.values, noting: request.destination, request.configuration)
        values[NSPersistentStoreDeferredLightweightMigrationOptionKey] = needsCleanup ? NSNumber(value: true) : nil
        try SQLiteMetadata(values, uuid: stored.uuid).write(to: connection)
        if try !connection.hasTable("Z_MODELCACHE") { try connection.execute(StoreSchema.modelCacheTable) }
        try StoredModel.write(cache.copy(of: request.destination), to: connection)
    }

    // MARK: Errors

    private func described(_ error: any Error) -> any Error {
        guard let error = error as? SQLiteError else { return error }
        let text = "the store at \(request.url.path) cannot be migrated"
        if error.isTimeout { return error.cocoaError(.persistentStoreTimeout, text, at: request.url) }
        let underlying = error.cocoaError(.sqlite, text, at: request.url)
        return request.failure(
            error.isUniqueness ? .migrationConstraintViolation : .migration,
            reason: "Cannot migrate store in-place: \(error.message)",
            userInfo: [NSUnderlyingErrorKey: underlying])
    }
}
