import CoreDataPostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData

/// Saves that change objects in two PostgreSQL stores of one coordinator, in two schemas.
@Suite(.needsPostgreSQL) struct PostgreSQLTwoStoreTests {
    /// Notes and pages, in a configuration each, with unique values.
    private static func model() -> NSManagedObjectModel {
        let model = SmallModel.twoConfigurations()
        model.entitiesByName["Note"]?.uniquenessConstraints = [["number"]]
        return model
    }

    private static func context(_ stack: PostgreSQLStack, at url: URL? = nil) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
        for name in ["one", "two"] {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: name, at: url ?? stack.url,
                options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1])
        }
        let context = try Library.context(coordinator)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return context
    }

    private static func counts(_ stack: PostgreSQLStack) throws -> [String?] {
        try ["one.\"Note\"", "two.\"Page\""].map { try stack.text("SELECT count(*)::text FROM \($0)") }
    }

    /// A conflict in either store leaves both unchanged, and reaches the merge policy.
    @Test func mergePoliciesApplyToBothStores() throws {
        let stack = try PostgreSQLStack(Self.model())
        let context = try Self.context(stack)
        try context.performAndWait {
            _ = context.make("Note", ["number": 1])
            _ = context.make("Page", ["name": "x", "number": 1])
            try context.save()
            context.reset()
            _ = context.make("Note", ["number": 1])
            _ = context.make("Page", ["name": "x", "number": 7])
            _ = context.make("Page", ["name": "y", "number": 8])
            try context.save()
            #expect(!context.hasChanges)
            context.reset()
            #expect(try context.all("Note").count == 1)
            #expect(try context.all("Page", by: "name").map { $0.value(forKey: "number") as? Int } == [7, 8])
        }
    }

    /// A failure in either store leaves both unchanged; the next save writes each object once.
    @Test(arguments: ["one.\"Note\"", "two.\"Page\""]) func failuresLeaveBothStoresUnchanged(_ table: String) throws {
        let stack = try PostgreSQLStack(Self.model())
        let context = try Self.context(stack)
        try stack.run(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
                + "$$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER fail AFTER INSERT ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION fail()")
        try context.performAndWait {
            for number in 0..<3 {
                _ = context.make("Note", ["number": number])
                _ = context.make("Page", ["name": "\(number)"])
            }
            for _ in 0..<2 {
                let error = try #require(nsError { try context.save() })
                #expect(error.localizedDescription.contains("full"))
                #expect(error.code == CocoaError.Code.persistentStoreSave.rawValue)
                #expect(try Self.counts(stack) == ["0", "0"])
                #expect(context.insertedObjects.count == 6)
            }
            try stack.run("DROP TRIGGER fail ON \(table)")
            try context.save()
            #expect(try Self.counts(stack) == ["3", "3"])
        }
    }

    /// A connection that is lost while one of the stores commits doubles and loses nothing.
    @Test(arguments: [true, false]) func lostCommitsDoubleNothing(_ hasCommitted: Bool) throws {
        let stack = try PostgreSQLStack(Self.model())
        let proxy = try CuttingProxy(before: stack.cluster.folder)
        defer { proxy.stop() }
        let context = try Self.context(stack, at: stack.url(["host": proxy.folder.path]))
        try context.performAndWait {
            for number in 1...4 {
                _ = context.make("Note", ["number": number])
                _ = context.make("Page", ["name": "\(number)"])
                proxy.cutNextCommit(hasCommitted ? .afterCommit() : .beforeCommit())
                try context.save()
                #expect(try Self.counts(stack) == ["\(number)", "\(number)"])
            }
        }
    }
}
