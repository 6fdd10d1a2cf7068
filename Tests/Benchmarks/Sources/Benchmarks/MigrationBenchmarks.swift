import CMemory
import CSQLiteReference
import CoreData
import Foundation

/// Migrations of stores with a million rows, against the same SQL in SQLite's C interface, and of a bundle with 100
/// versions.
enum MigrationBenchmarks {
    private static let count = Amount.rows(1_000_000)

    static func all(_ stack: StoreStack, _ workspace: Workspace) -> [Benchmark] {
        [
            Benchmark(
                name: "migration/add-column", size: "\(count) rows, an attribute with a default", rounds: 3,
                ours: { try migrate(stack) { addRating(to: $0) } },
                reference: {
                    try run(
                        ["ALTER TABLE ZBOOK ADD COLUMN ZRATING INTEGER", "UPDATE ZBOOK SET ZRATING = 3"], stack)
                }, referenceName: "sqlite3"),
            Benchmark(
                name: "migration/rebuild", size: "\(count) rows, an attribute removed", rounds: 3,
                ours: {
                    try migrate(stack) { model in
                        guard let book = model.entitiesByName["Book"] else { return }
                        book.properties.removeAll { $0.name == "price" }
                    }
                },
                reference: { try run(rebuilding, stack) }, referenceName: "sqlite3"),
            Benchmark(
                name: "migration/policy", size: "\(count) rows, a mapping model with a policy", rounds: 1,
                ours: { try runPolicy(count, stack).seconds },
                reference: { try runPolicy(count / 10, stack).seconds }, referenceName: "of \(count / 10)"),
            Benchmark(
                name: "migration/policy-memory", size: "\(count) rows, all at most", rounds: 1,
                ours: { try runPolicy(count, stack).bytes }, reference: { try runPolicy(count / 10, stack).bytes },
                referenceName: "of \(count / 10)", unit: .megabytes),
            Benchmark(
                name: "migrate-test/100-versions", size: "100 versions of 100 entities, 10 rows of each", rounds: 1,
                ours: { try test(workspace) },
                reference: {
                    let bundle = try workspace.writeVersions(Amount.entities(100), entities: Amount.entities(100))
                        .bundle
                    return try Subprocess.time(workspace.modelc, ["migrate", "check", bundle], mayFind: true)
                }, referenceName: "modelc migrate check"),
        ]
    }

    private static func test(_ workspace: Workspace) throws -> Double {
        let bundle = try workspace.writeVersions(Amount.entities(100), entities: Amount.entities(100)).bundle
        return try Subprocess.time(workspace.modelcStore(), ["migrate-test", bundle, "--rows", "10"])
    }

    // MARK: In place

    /// The statements that the runtime executes for `migration/rebuild`.
    private static let rebuilding = [
        "DROP INDEX IF EXISTS ZBOOK_ZAUTHOR_INDEX", "ALTER TABLE ZBOOK RENAME TO OLDBOOK",
        "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISNEW INTEGER, ZPAGES INTEGER, "
            + "ZAUTHOR INTEGER, ZPUBLISHED TIMESTAMP, ZISBN VARCHAR, ZTITLE VARCHAR)",
        "INSERT INTO ZBOOK SELECT Z_PK, Z_ENT, Z_OPT, ZISNEW, ZPAGES, ZAUTHOR, ZPUBLISHED, ZISBN, ZTITLE FROM OLDBOOK",
        "DROP TABLE OLDBOOK", "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
    ]

    /// Copies a store with many rows.
    private static func copy(_ stack: StoreStack, _ count: Int = count) throws -> URL {
        let url = stack.newURL()
        try FileManager.default.copyItem(at: stack.filledURL(count), to: url)
        return url
    }

    private static func addRating(to model: NSManagedObjectModel) {
        let attribute = NSAttributeDescription()
        attribute.name = "rating"
        attribute.attributeType = .integer64AttributeType
        attribute.defaultValue = 3
        model.entitiesByName["Book"]?.properties.append(attribute)
    }

    /// Returns the time to open a store with a changed model and close it.
    private static func migrate(_ stack: StoreStack, _ change: (NSManagedObjectModel) -> Void) throws -> Double {
        let url = try copy(stack)
        defer { stack.remove(url) }
        let model = try BenchModel.load(stack.modelURL())
        change(model)
        return try ObjectBenchmarks.seconds {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            try coordinator.remove(store)
        }
    }

    /// Returns the time to run statements in one transaction and close the database.
    private static func run(_ statements: [String], _ stack: StoreStack) throws -> Double {
        let url = try copy(stack)
        defer { stack.remove(url) }
        return try ObjectBenchmarks.seconds {
            let database = try ReferenceDatabase(url)
            for statement in ["BEGIN IMMEDIATE", "PRAGMA legacy_alter_table = ON"] + statements + ["COMMIT"] {
                try database.run(statement)
            }
        }
    }

    // MARK: With a policy

    private static func runPolicy(_ count: Int, _ stack: StoreStack) throws -> (seconds: Double, bytes: Double) {
        let text = try Subprocess.output(
            [
                CommandLine.arguments[0], "--migration-policy", stack.modelURL().path, stack.filledURL(count).path,
                stack.newURL().path,
            ])
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2 else { throw CommandFailure(description: "--migration-policy printed \(text)") }
        return (numbers[0], numbers[1])
    }

    /// Migrates a store in this process, and prints the seconds and the peak memory: `Benchmarks --migration-policy
    /// MODEL STORE NEW`.
    static func printPolicy(_ arguments: [String]) throws {
        guard arguments.count == 3 else {
            throw CommandFailure(description: "usage: Benchmarks --migration-policy MODEL STORE NEW")
        }
        let urls = arguments.map { URL(fileURLWithPath: $0) }
        let (source, destination) = (try BenchModel.load(urls[0]), try BenchModel.load(urls[0]))
        addRating(to: destination)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        for entity in mapping.entityMappings where entity.destinationEntityName == "Book" {
            entity.mappingType = .customEntityMappingType
            entity.entityMigrationPolicyClassName = "RatingPolicy"
        }
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: urls[2].path + suffix) }
        }
        let seconds = try ObjectBenchmarks.seconds {
            try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
                from: urls[1], sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: urls[2],
                destinationType: NSSQLiteStoreType)
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print(seconds, Double(usage.ru_maxrss) * 1024)
    }
}

/// Rates books by their pages.
final class RatingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let pages = sInstance.value(forKey: "pages") as? Int ?? 0
        for object in made { object.setValue(pages % 5, forKey: "rating") }
    }
}
