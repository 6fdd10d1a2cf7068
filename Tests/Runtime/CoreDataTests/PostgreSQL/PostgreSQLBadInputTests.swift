import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData

/// Servers, schemas, names and values that a store cannot use: a Core Data error with the server's message, and nothing
/// half-finished.
@Suite(.needsPostgreSQL) struct PostgreSQLBadInputTests {
    private func model(_ entities: [String: [String]]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities.sorted { $0.key < $1.key }.map { name, attributes in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.map { name in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = .stringAttributeType
                attribute.isOptional = true
                return attribute
            }
            return entity
        }
        return model
    }

    private func expectOpenError(
        _ stack: PostgreSQLStack, _ parameters: [String: String], contains text: String,
        options: [AnyHashable: Any] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let url = try stack.url(parameters)
        let error = try #require(
            nsError { _ = try stack.coordinator(options, at: url) }, sourceLocation: sourceLocation)
        #expect(error.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
        #expect(error.code == CocoaError.Code.persistentStoreOpen.rawValue, sourceLocation: sourceLocation)
        #expect(
            error.localizedDescription.contains(text), "\(error.localizedDescription)", sourceLocation: sourceLocation)
    }

    @Test func serversThatCannotBeReachedAreErrors() throws {
        let stack = try PostgreSQLStack()
        try expectOpenError(stack, ["host": "/tmp/none"], contains: "No such file")
        try expectOpenError(stack, ["host": "127.0.0.1", "port": "1"], contains: "Connection refused")
        try expectOpenError(stack, ["dbname": "nowhere"], contains: "database \"nowhere\" does not exist")
        try expectOpenError(stack, ["user": "nobody-here"], contains: "role \"nobody-here\" does not exist")
        try expectOpenError(stack, ["nonsense": "1"], contains: "nonsense")
    }

    /// A long test, since it needs a separate server.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MODELC_KILLS"] != nil, "needs MODELC_KILLS"))
    func wrongPasswordsAreErrors() throws {
        var options = PostgreSQLCluster.Options()
        options.needsPassword = true
        let stack = try PostgreSQLStack(cluster: PostgreSQLCluster(options))
        try expectOpenError(stack, ["password": "hunter2"], contains: "password authentication failed")
        let context = try stack.context(stack.coordinator())
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
        }
    }

    @Test func missingPrivilegesAreErrorsWithTheirFix() throws {
        let stack = try PostgreSQLStack()
        try stack.run("CREATE ROLE \"reader\(stack.database)\" LOGIN")
        let user = ["user": "reader\(stack.database)"]
        try expectOpenError(stack, user, contains: "permission denied")
        try expectOpenError(stack, user, contains: "grant the role the privilege")
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname = 'coredata'") == "0")
        _ = try stack.coordinator()
        try stack.run(
            "GRANT USAGE ON SCHEMA coredata TO PUBLIC", "GRANT SELECT ON ALL TABLES IN SCHEMA coredata TO PUBLIC")
        let context = try stack.context(
            stack.coordinator([NSReadOnlyPersistentStoreOption: true], at: stack.url(user)))
        #expect(try context.performAndWait { try context.all("Author").count } == 0)
        let writer = try stack.context(stack.coordinator(at: stack.url(user)))
        try writer.performAndWait {
            _ = writer.make("Author")
            let error = try #require(nsError { try writer.save() })
            #expect(error.localizedDescription.contains("permission denied"))
        }
    }

    @Test func readOnlyStoresAreNotCreated() throws {
        let stack = try PostgreSQLStack()
        try expectOpenError(
            stack, [:], contains: "a read-only one cannot be created", options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname = 'coredata'") == "0")
    }

    @Test func statementTimeoutsAreErrors() throws {
        let stack = try PostgreSQLStack()
        // The tables are created without the limit, which a busy server would exceed.
        _ = try stack.coordinator()
        let url = try stack.url(["options": "-c statement_timeout=5000"])
        let context = try stack.context(stack.coordinator(at: url))
        try stack.run("BEGIN", "LOCK TABLE coredata.\"Author\" IN ACCESS EXCLUSIVE MODE")
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            #expect(try #require(nsError { try context.save() }).localizedDescription.contains("statement timeout"))
            #expect(
                try #require(nsError { _ = try context.all("Author") }).localizedDescription.contains(
                    "statement timeout"))
            try stack.run("COMMIT")
            try context.save()
            #expect(try context.all("Author").count == 1)
        }
    }

    @Test func damagedMetadataIsAnError() throws {
        let stack = try PostgreSQLStack()
        _ = try stack.coordinator()
        try stack.run("UPDATE coredata._metadata SET properties = '\\x00'")
        try expectOpenError(stack, [:], contains: "the metadata in the schema “coredata” cannot be read")
        try stack.run("DELETE FROM coredata._metadata")
        try expectOpenError(stack, [:], contains: "the metadata in the schema “coredata” cannot be read")
    }

    // MARK: Names and values

    /// Names that are too long for the server, differ only in case, or are not valid in SQL.
    @Test func unusualNamesKeepTheirValues() throws {
        let long = String(repeating: "long", count: 20)
        let attributes = [
            "\(long)A", "\(long)B", "name", "Name", "NAME", "xmin", "_pk", "select", "a\"b", "dollar$1", "quest?ion",
            "ü",
        ]
        let model = model([long: attributes, "\(long)er": ["a"], "Thing": ["a"], "thing": ["a"]])
        let stack = try PostgreSQLStack(model)
        let options: [AnyHashable: Any] = [NSPostgreSQLSchemaOption: "\(long) of \"schemas\""]
        let context = try stack.context(stack.coordinator(options))
        try context.performAndWait {
            for entity in [long, "\(long)er", "Thing", "thing"] {
                let names = model.entitiesByName[entity]?.attributesByName.keys.sorted() ?? []
                _ = context.make(entity, Dictionary(uniqueKeysWithValues: names.map { ($0, "\(entity).\($0)") }))
            }
            try context.save()
        }
        let other = try stack.context(stack.coordinator(options))
        try other.performAndWait {
            for entity in [long, "\(long)er", "Thing", "thing"] {
                let objects = try other.all(entity)
                #expect(objects.count == 1)
                for name in model.entitiesByName[entity]?.attributesByName.keys.sorted() ?? [] {
                    #expect(objects.first?.value(forKey: name) as? String == "\(entity).\(name)")
                }
            }
        }
    }

    /// The server treats random names and values as data, anywhere in a statement.
    @Test(.randomized) func randomNamesAndValuesNeverBecomeSQL() throws {
        var random = Seeds.generator()
        let pieces = [
            "\"", "'", "\\", ";", "--", "/*", "*/", "$1", "$$", "?", "%", "\u{1}", "é", "😀", "E'", "::", "(", ")", " ",
            "\n",
            "DROP TABLE x", "NULL", "{", "}", ",", "U&", "\u{2019}", "\u{301}", "a", "B",
        ]
        func text() -> String {
            (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        let stack = try PostgreSQLStack()
        try stack.run("CREATE TABLE x (a int8)", "INSERT INTO x VALUES (1)")
        for round in 0..<8 {
            let attributes = Array(Set((0..<4).map { _ in text() }))
            let model = model(["E" + text(): attributes])
            let entity = try #require(model.entities.first?.name)
            let namespace = text()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: stack.url,
                options: [NSPostgreSQLSchemaOption: "\(round)\(namespace)", NSPersistentHistoryTrackingKey: true])
            let context = try stack.context(coordinator)
            try context.performAndWait {
                context.name = text()
                context.transactionAuthor = text()
                let values = Dictionary(uniqueKeysWithValues: attributes.map { ($0, text()) })
                let object = context.make(entity, values)
                try context.save()
                context.reset()
                for value in values.values {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                    request.predicate = NSPredicate(format: "SELF == %@ AND %@ != nil", object.objectID, value)
                    let found = try #require(try context.fetch(request).first)
                    for (key, value) in values { #expect(found.value(forKey: key) as? String == value) }
                }
                try context.execute(NSBatchInsertRequest(entityName: entity, objects: [values]))
                let update = NSBatchUpdateRequest(entityName: entity)
                update.propertiesToUpdate = [attributes[0]: text()]
                try context.execute(update)
                #expect(try context.history().allSatisfy { $0.author == context.transactionAuthor })
                try context.execute(
                    NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: entity)))
                #expect(try context.all(entity).isEmpty)
            }
            try coordinator.remove(#require(coordinator.persistentStores.first))
            try coordinator.destroyPersistentStore(
                at: stack.url, ofType: NSPostgreSQLStoreType,
                options: [NSPostgreSQLSchemaOption: "\(round)\(namespace)"])
        }
        #expect(try stack.text("SELECT a::text FROM x") == "1")
        #expect(
            try stack.text(
                "SELECT string_agg(nspname, ',') FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('public', 'information_schema')"
            ) == nil)
    }
}
