import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

/// Stores of random models in databases, migrated through random versions: the schema equals that of a new store, and
/// the objects are those of a file with the same content that was migrated in the same way.
@Suite(.needsPostgreSQL) struct PostgreSQLMigrationFuzzTests {
    typealias Mismatch = MigrationFuzzTests.Mismatch

    @Test func migratedDatabasesEqualNewOnesAndMigratedFiles() {
        Seeds.run(rounds: 3) { random, log in
            var model = EvolvingModel(random)
            defer { log += model.log }
            let stack = try PostgreSQLStack(try MigrationFixture.model(model.text))
            model.makeObjects()
            let context = try stack.context()
            try context.performAndWait {
                try MigrationFuzzTests.insert(model, context)
                try context.save()
            }
            try stack.close(context)
            for _ in 0..<3 {
                if let refusal = model.refused() { try Self.expectRefusal(refusal, of: stack) }
                model.log.append("---")
                let old = model
                model.change()
                let version = try stack.version(model.text)
                try Self.expectSchemaByPlan(from: old, to: version)
                if try Self.migratesOnline(from: old, to: model, version) { model.log.append("online") }
                let migrated = try version.context(version.coordinator(MigrationFixture.options))
                let expected = model
                let orders = try Self.ordersInFile(from: old, to: model)
                try migrated.performAndWait {
                    try MigrationFuzzTests.compare(expected, migrated)
                    guard try MigrationFuzzTests.orders(of: old, expected, migrated) == orders else {
                        throw Mismatch(description: "the file gives other orders: \(orders)")
                    }
                    // The store can be written to.
                    for entity in expected.entities where !entity.isAbstract {
                        migrated.delete(migrated.make(entity.name, [:]))
                        _ = migrated.make(entity.name, ["key": "new"])
                    }
                    if migrated.hasChanges {
                        try migrated.save()
                        for object in try migrated.all(in: expected)
                        where object.value(forKey: "key") as? String == "new" {
                            migrated.delete(object)
                        }
                        try migrated.save()
                    }
                }
                try version.close(migrated)
                try Self.expectSchemaOfNewStore(version)
            }
        }
    }

    /// Runs the plan of a migration with psql in another database, and compares the schema with that of a new store.
    private static func expectSchemaByPlan(from old: EvolvingModel, to version: PostgreSQLStack) throws {
        let other = try PostgreSQLStack(try MigrationFixture.model(old.text))
        let context = try other.context()
        try context.performAndWait {
            try MigrationFuzzTests.insert(old, context)
            try context.save()
        }
        try other.close(context)
        let plan = try PostgreSQLPlanScript(from: other.model, to: version.model)
        let (status, output) = try other.psql(plan.text)
        guard status == 0 else { throw Mismatch(description: "psql: \(output)\n\(plan.text)") }
        var migrated = other
        migrated.model = version.model
        try expectSchemaOfNewStore(migrated)
        try migrated.close(migrated.context())
        // The plan does not run twice, unless it changes nothing: it starts from the hashes that it leads to.
        guard other.model.entityVersionHashesByName != version.model.entityVersionHashesByName else { return }
        guard try other.psql(plan.text).status != 0 else { throw Mismatch(description: "the plan runs twice") }
    }

    /// Runs the steps of an online migration with psql in another database, and compares the result with that of the
    /// new version.
    ///
    /// - Returns: Whether there are such steps.
    private static func migratesOnline(
        from old: EvolvingModel, to new: EvolvingModel, _ version: PostgreSQLStack
    ) throws -> Bool {
        let other = try PostgreSQLStack(try MigrationFixture.model(old.text))
        let plan = try PostgreSQLPlanScript(from: other.model, to: version.model)
        var scripts: [String] = []
        do throws(PostgreSQLPlanScript.Failure) {
            for step in [PostgreSQLOnlinePlan.Step.expand, .cancel, .expand, .fill, .contract] {
                scripts.append(try plan.text(online: step))
            }
        } catch {
            return false
        }
        let context = try other.context()
        try context.performAndWait {
            try MigrationFuzzTests.insert(old, context)
            try context.save()
        }
        try other.close(context)
        for script in scripts {
            let (status, output) = try other.psql(script)
            guard status == 0 else { throw Mismatch(description: "psql: \(output)\n\(script)") }
        }
        var migrated = other
        migrated.model = version.model
        try expectSchemaOfNewStore(migrated, keepsNumbers: true)
        let result = try migrated.context()
        try result.performAndWait { try MigrationFuzzTests.compare(new, result) }
        try migrated.close(result)
        return true
    }

    /// Compares what the server says about the tables with what it says about those of a new store.
    ///
    /// - Parameter keepsNumbers: Whether entities may have the numbers of a former version.
    static func expectSchemaOfNewStore(_ stack: PostgreSQLStack, keepsNumbers: Bool = false) throws {
        let new = try PostgreSQLStack(stack.model)
        try new.close(new.context())
        let (found, expected) = (try Set(stack.catalog()), try Set(new.catalog()))
        guard found == expected else {
            throw Mismatch(
                description: "only in the migrated one: \(found.subtracting(expected)); only in the new one: "
                    + "\(expected.subtracting(found))")
        }
        let query =
            keepsNumbers
            ? "SELECT string_agg(e.name || coalesce(p.name, '') || e.table_name || e.version_hash, ';' ORDER BY e.name) "
                + "FROM coredata._entities e LEFT JOIN coredata._entities p ON p.number = e.parent"
            : "SELECT string_agg(e::text, ';' ORDER BY number) FROM coredata._entities e"
        guard try stack.text(query) == new.text(query) else { throw Mismatch(description: "other entities") }
    }

    /// Migrates a file with the content of a version, and returns its orders.
    private static func ordersInFile(
        from old: EvolvingModel, to new: EvolvingModel
    ) throws -> [String: [String]] {
        let fixture = try MigrationFixture(old.text)
        fixture.store.isSound = false
        try fixture.fill { try MigrationFuzzTests.insert(old, $0) }
        var orders: [String: [String]] = [:]
        try fixture.migrate(to: new.text, checksSchema: false) { context in
            try MigrationFuzzTests.compare(new, context)
            orders = try MigrationFuzzTests.orders(of: old, new, context)
        }
        return orders
    }

    private static func expectRefusal(_ refusal: EvolvingModel.Refusal, of stack: PostgreSQLStack) throws {
        let before = try stack.catalog()
        let version = try stack.version(refusal.model.text)
        let element = "\(refusal.entity).\(refusal.property ?? "")"
        guard let error = nsError({ _ = try version.coordinator(MigrationFixture.options) }) else {
            throw Mismatch(description: "\(element) was migrated")
        }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let names = (underlying?.userInfo["entity"] as? String, underlying?.userInfo["property"] as? String)
        guard error.code == 134140, underlying?.code == 134190, names.0 == refusal.entity,
            refusal.property == nil || names.1 == refusal.property
        else { throw Mismatch(description: "\(element): \(error)") }
        guard try stack.catalog() == before else { throw Mismatch(description: "\(element): the store was changed") }
    }
}

extension NSManagedObjectContext {
    /// Returns all objects of the entities of a model.
    fileprivate func all(in model: EvolvingModel) throws -> [NSManagedObject] {
        try model.entities.filter { $0.parent == nil }.flatMap { try all($0.name) }
    }
}

extension PostgreSQLStack {
    /// Returns the same database with another version of the model.
    func version(_ entities: String) throws -> PostgreSQLStack {
        var copy = self
        copy.model = try MigrationFixture.model(entities)
        return copy
    }

    /// Returns what the server says about the tables of the store.
    func catalog() throws -> [PostgreSQLCatalog.Item] {
        _ = NSPostgreSQLStoreType
        return try PostgreSQLDatabase(url, [:]).withOwnSession {
            try PostgreSQLCatalog(namespace: "coredata", $0).items
        }
    }

    /// Runs a script with psql, and returns its exit code and messages.
    func psql(_ script: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", "--no-psqlrc", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", url.absoluteString]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, FileHandle.nullDevice, output)
        try process.run()
        let box = SendableBox(input)
        let writer = Thread {
            try? box.value.fileHandleForWriting.write(contentsOf: Data(script.utf8))
            try? box.value.fileHandleForWriting.close()
        }
        writer.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Removes the store of a context from its coordinator.
    func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        context.performAndWait { context.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
