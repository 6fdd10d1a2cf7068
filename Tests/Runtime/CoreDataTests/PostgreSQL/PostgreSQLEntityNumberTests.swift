import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

/// Stores whose entities have other numbers than in a new store, because an online migration has added entities that
/// come before others.
@Suite(.needsPostgreSQL) struct PostgreSQLEntityNumberTests {
    private static let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
    private static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true as NSNumber] }

    private static func entity(_ name: String, _ rest: String = "", parent: String? = nil) -> String {
        "<entity name=\"\(name)\"\(parent.map { " parentEntity=\"\($0)\"" } ?? "")>\(parent == nil ? Self.name : "")\(rest)</entity>"
    }

    private static let hierarchy = entity("Book") + entity("Novel", parent: "Book")
    private static let first = entity("Author") + hierarchy + entity("Zone")
    /// An entity before the others, one between them, and one less.
    private static let second =
        entity("Aisle", relationship(to: "Book")) + entity("Author") + hierarchy + entity("Map")

    private static func relationship(to entity: String) -> String {
        "<relationship name=\"other\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"\(entity)\"/>"
    }

    private static func numbers(_ stack: PostgreSQLStack) throws -> String? {
        try stack.text("SELECT string_agg(number || ' ' || name, ', ' ORDER BY number) FROM coredata._entities")
    }

    private static func script(_ old: PostgreSQLStack, _ new: PostgreSQLStack) throws -> PostgreSQLPlanScript {
        let administration = try PostgreSQLAdministration(url: old.url.absoluteString)
        return try PostgreSQLPlanScript(
            from: old.model, to: new.model, entityNumbers: administration.entityNumbers())
    }

    private static func save(
        _ entities: [String], _ name: String, _ stack: PostgreSQLStack, _ context: NSManagedObjectContext
    ) throws {
        try context.performAndWait {
            for entity in entities { _ = context.make(entity, ["name": name]) }
            try context.save()
        }
    }

    /// Returns the objects of a store as “entity name”, sorted, and the inserted objects in its history.
    private static func contents(_ stack: PostgreSQLStack) throws -> (objects: [String], history: [String]) {
        let context = try stack.context(stack.coordinator(options))
        defer { try? stack.close(context) }
        return try context.performAndWait {
            let roots = stack.model.entities.filter { $0.superentity == nil }.compactMap(\.name)
            let objects = try roots.flatMap { try context.all($0) }.map {
                "\($0.entity.name ?? "") \($0.value(forKey: "name") as? String ?? "")"
            }
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
            let transactions = try #require(result.result as? [NSPersistentHistoryTransaction])
            let changes = transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .insert }
            return (objects.sorted(), changes.map { $0.changedObjectID.entity.name ?? "" }.sorted())
        }
    }

    /// Migrates a new store online, with saves of both versions. Each step is first run in part.
    private static func migratedStore() throws -> (old: PostgreSQLStack, new: PostgreSQLStack) {
        let old = try PostgreSQLStack(try MigrationFixture.model(first))
        let new = try old.version(second)
        let before = try old.context(old.coordinator(options))
        try save(["Author", "Book", "Novel", "Zone"], "before", old, before)
        let administration = try PostgreSQLAdministration(url: old.url.absoluteString)
        var running: NSManagedObjectContext?
        for step in [PostgreSQLOnlinePlan.Step.expand, .cancel, .expand, .fill, .contract] {
            let text = try script(old, new).text(online: step)
            let statements = PostgreSQLScript.statements(in: text)
            let half = statements.prefix(statements.count * 2 / 3).map { $0 + ";\n" }.joined()
            let (status, output) = try old.psql(half)
            #expect(status == 0, "\(output)")
            try administration.apply(text)
            switch step {
            case .expand, .fill:
                let context = try new.context(new.coordinator(options))
                try save(["Aisle", "Author", "Map", "Novel"], "\(step)", new, context)
                try save(["Author", "Book", "Novel", "Zone"], "\(step)", old, before)
                if step == .fill { running = context } else { try new.close(context) }
                // A program that starts in between.
                let late = try old.context(old.coordinator(options))
                try save(["Zone"], "late", old, late)
                try old.close(late)
            case .cancel: break
            case .contract:
                before.performAndWait {
                    _ = before.make("Zone", ["name": "lost"])
                    let error = nsError { try before.save() }
                    #expect(error?.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
                }
            }
        }
        try old.close(before)
        let context = try #require(running)
        try save(["Aisle", "Novel"], "after", new, context)
        try new.close(context)
        return (old, new)
    }

    private static let objects = [
        "Aisle after", "Aisle expand", "Aisle fill", "Author before", "Author expand", "Author expand",
        "Author expand", "Author expand", "Author fill", "Author fill", "Book before", "Book expand", "Book expand",
        "Book fill", "Map expand", "Map fill", "Novel after", "Novel before", "Novel expand", "Novel expand",
        "Novel expand", "Novel expand", "Novel fill", "Novel fill",
    ]

    @Test func newEntitiesGetNumbersAfterThoseInUse() throws {
        let (old, new) = try Self.migratedStore()
        #expect(try Self.numbers(old) == "1 Author, 2 Book, 3 Novel, 5 Aisle, 6 Map")
        let (objects, history) = try Self.contents(new)
        #expect(objects == Self.objects)
        // Objects of “Zone”, and those of the step that was canceled, are no longer in the history.
        #expect(history == Self.objects.map { String($0.split(separator: " ")[0]) }.sorted())
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new, keepsNumbers: true)
        #expect(try PostgreSQLAdministration(url: old.url.absoluteString).drift(from: new.model).isEmpty)
    }

    @Test func copiesHaveTheSameNumbers() throws {
        let (_, new) = try Self.migratedStore()
        let copy = try PostgreSQLStack(new.model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new.model)
        try coordinator.replacePersistentStore(
            at: copy.url, withPersistentStoreFrom: new.url, ofType: NSPostgreSQLStoreType)
        #expect(try Self.numbers(copy) == Self.numbers(new))
        let (objects, history) = try Self.contents(copy)
        #expect(objects == Self.objects)
        #expect(try history == Self.contents(new).history)
    }

    @Test func theNextOnlineMigrationKeepsTheNumbers() throws {
        let (_, new) = try Self.migratedStore()
        let third = try new.version(Self.second + Self.entity("Aaa"))
        // Without the database, a plan assumes the numbers of a new store.
        for text in try [
            PostgreSQLPlanScript(from: new.model, to: third.model).text(online: .expand),
            PostgreSQLPlanScript(from: new.model, to: third.model).text,
        ] {
            let (status, output) = try new.psql(text)
            #expect(status != 0 && output.contains("other numbers") && output.contains("--database"), "\(output)")
        }
        let administration = try PostgreSQLAdministration(url: new.url.absoluteString)
        for step in [PostgreSQLOnlinePlan.Step.expand, .fill, .contract] {
            try administration.apply(Self.script(new, third).text(online: step))
        }
        #expect(try Self.numbers(new) == "1 Author, 2 Book, 3 Novel, 5 Aisle, 6 Map, 7 Aaa")
        #expect(try Self.contents(third).objects == Self.objects)
    }

    /// A migration in place gives entities the numbers of a new store.
    @Test(arguments: [false, true]) func theNextMigrationInPlaceNumbersAllEntities(byPlan: Bool) throws {
        let (_, new) = try Self.migratedStore()
        let history = try Self.contents(new).history
        let third = try new.version(Self.second.replacing(Self.entity("Map"), with: ""))
        if byPlan {
            let administration = try PostgreSQLAdministration(url: new.url.absoluteString)
            try administration.apply(Self.script(new, third).text)
        } else {
            try third.close(third.context(third.coordinator(MigrationFixture.options.merging(Self.options) { $1 })))
        }
        #expect(try Self.numbers(new) == "1 Aisle, 2 Author, 3 Book, 4 Novel")
        let contents = try Self.contents(third)
        #expect(contents.objects == Self.objects.filter { !$0.hasPrefix("Map") })
        #expect(contents.history == history.filter { $0 != "Map" })
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(third)
    }

    /// A plan in place renumbers the rows before it computes what the server cannot.
    @Test func applyComputesValuesOfEntitiesWithOtherNumbers() throws {
        let (_, new) = try Self.migratedStore()
        let derived =
            "<attribute name=\"folded\" optional=\"YES\" attributeType=\"String\" derived=\"YES\" "
            + "derivationExpression=\"canonical:(name)\"/>"
        let third = try new.version(
            Self.second.replacing(Self.entity("Author"), with: Self.entity("Author", derived)))
        let administration = try PostgreSQLAdministration(url: new.url.absoluteString)
        try administration.apply(Self.script(new, third).text)
        #expect(
            try new.text("SELECT count(*)::text FROM coredata.\"Author\" WHERE folded IS DISTINCT FROM lower(name)")
                == "0")
    }
}
