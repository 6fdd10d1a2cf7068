import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = PostgreSQLMigrationFixture

/// Migrations of stores in databases with mapping models and in stages.
@Suite(.needsPostgreSQL) struct PostgreSQLMappingTests {
    @Test func mappingModelsMigrateStores() throws {
        let fixture = try MappingFixture.unique()
        let stack = try PostgreSQLStack(fixture.first)
        try fixture.makeStore(type: NSPostgreSQLStoreType, at: stack.url)
        let old = try stack.context()
        try old.performAndWait { _ = try old.all("Person") }
        let uuid = old.postgreSQL?.identifier
        let role = "reader_\(stack.database)"
        try stack.run("CREATE ROLE \(role)", "GRANT SELECT, INSERT ON coredata._metadata TO \(role) WITH GRANT OPTION")
        let mapping = try MappingArchive.bytes(fixture.mapping(), from: fixture.first, to: fixture.second)
        var version = stack
        version.model = fixture.second
        try MappingFixture.withResources(["Mapping.cdm": mapping]) {
            let context = try version.context(version.coordinator(MigrationFixture.options))
            #expect(context.postgreSQL?.identifier == uuid)
            try version.close(context)
        }
        #expect(try fixture.lines(stack.url, type: NSPostgreSQLStoreType) == MappingFixture.migrated)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
        let privileges = "SELECT string_agg(privilege_type || is_grantable, ' ' ORDER BY privilege_type) FROM "
        let grants = "information_schema.role_table_grants WHERE grantee = '\(role)'"
        #expect(try stack.text(privileges + grants) == "INSERTYES SELECTYES")
        try stack.run("DROP OWNED BY \(role)", "DROP ROLE \(role)")
        // Nothing is left of the schema in which the new store was made, and the old program notices.
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname LIKE '%migrating%'") == "0")
        try old.performAndWait {
            _ = old.make("Person", ["name": "late"])
            let error = try #require(nsError { try old.save() })
            #expect(error.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        }
    }

    @Test func managersCopyBetweenFilesAndDatabases() throws {
        let fixture = try MappingFixture.unique()
        let file = try fixture.makeStore()
        let stack = try PostgreSQLStack(fixture.second)
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        try manager.migrateStore(
            from: file, sourceType: NSSQLiteStoreType, with: fixture.mapping(), toDestinationURL: stack.url,
            destinationType: NSPostgreSQLStoreType)
        #expect(try fixture.lines(stack.url, type: NSPostgreSQLStoreType) == MappingFixture.migrated)
    }

    @Test func stagesMigrateStores() throws {
        func model(_ attributes: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model("<entity name=\"Item\">\(attributes)</entity>")
        }
        func attribute(_ name: String, _ type: String, _ former: String) -> String {
            "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" elementID=\"\(former)\"/>"
        }
        // Converts a string to data with a second attribute, which is then renamed to the first one.
        let versions = try [
            model(attribute("code", "String", "code")),
            model(attribute("code", "String", "code") + attribute("code2", "Binary", "code2")),
            model(attribute("code", "Binary", "code2")),
        ]
        let stack = try PostgreSQLStack(versions[0])
        let context = try stack.context()
        try context.performAndWait {
            _ = context.make("Item", ["code": "seven"])
            try context.save()
        }
        try stack.close(context)
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(versions[1]), to: reference(versions[2]))
        stage.willMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for item in try context.all("Item") {
                    item.setValue((item.value(forKey: "code") as? String).map { Data($0.utf8) }, forKey: "code2")
                }
                try context.save()
            }
        }
        // Called again if it fails.
        let calls = Recorder<Int>()
        stage.didMigrateHandler = { _, _ in
            calls.values.append(calls.values.count)
            if calls.values.count == 1 { throw CocoaError(.featureUnsupported) }
        }
        var version = stack
        version.model = versions[2]
        var options = MigrationFixture.options
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
            NSLightweightMigrationStage([versions[0].versionChecksum]), stage,
        ])
        #expect(nsError { _ = try version.coordinator(options) }?.code == CocoaError.Code.featureUnsupported.rawValue)
        for _ in 0..<2 {
            let migrated = try version.context(version.coordinator(options))
            try migrated.performAndWait { () throws in
                #expect(try migrated.all("Item").first?.value(forKey: "code") as? Data == Data("seven".utf8))
            }
            #expect(calls.values.count == 2)
            try version.close(migrated)
        }
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
    }
}
