import CoreData
import Testing

/// Automatic migration with a mapping model in the bundles, and of atomic stores.
@Suite(.serialized) struct CopyingMigrationTests {
    @Test func aMappingModelInABundleIsUsedBeforeInference() throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore()
        let old = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        var metadata = old
        metadata["app"] = "kept"
        try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: store)
        let archive = try MappingArchive.bytes(
            fixture.mapping(fullName: "uppercase($source.name)"), from: fixture.first, to: fixture.second)
        try MappingFixture.withResources(["Map.cdm": archive]) {
            let context = try MappingFixture.open(store, fixture.second, options: MigrationFixture.options)
            try MappingFixture.close(context)
        }
        let lines = try fixture.lines(store)
        #expect(lines == MappingFixture.migrated.map { $0.replacingOccurrences(of: "Person", with: "PERSON") })
        let new = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        #expect(new[NSStoreUUIDKey] as? String == old[NSStoreUUIDKey] as? String)
        #expect(new["app"] as? String == "kept")
        #expect(fixture.second.isConfiguration(withName: nil, compatibleWithStoreMetadata: new))
        #expect(try fixture.bytes(".").keys.allSatisfy { !$0.contains("migrationdestination") })
        #expect(try TestDatabase(path: store.path).rows("PRAGMA integrity_check").count == 1)
    }

    @Test func aFailureLeavesTheStoreUnchanged() throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore()
        let before = try fixture.bytes("Old")
        let archive = try MappingArchive.bytes(
            fixture.mapping(policy: "ThrowingPolicy"), from: fixture.first, to: fixture.second)
        let error = try MappingFixture.withResources(["Map.cdm": archive]) {
            nsError { _ = try MappingFixture.open(store, fixture.second, options: MigrationFixture.options) }
        }
        #expect(error?.code == NSEntityMigrationPolicyError)
        #expect(try fixture.bytes("Old") == before)
        #expect(try fixture.bytes(".").isEmpty)
    }

    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func xmlAndBinaryStoresMigrateByInference(type: String) throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore("Old", type: type)
        let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: store)
        try MappingFixture.withResources(["Model.mom": try MappingArchive.model(fixture.first)]) {
            let context = try MappingFixture.open(store, fixture.second, type: type, options: MigrationFixture.options)
            try MappingFixture.close(context)
        }
        let lines = try fixture.lines(store, type: type)
        #expect(lines == MappingFixture.migrated.map { $0.replacingOccurrences(of: " 10 of", with: " 9 of") })
        let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: store)
        #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    }

    /// The new store has other object IDs, so readers cannot continue the old history.
    @Test func tokensOfTheOldHistoryExpire() throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore()
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        func addPeople(_ count: Int, _ context: NSManagedObjectContext) throws {
            for _ in 0..<count {
                _ = context.make("Person", ["age": 1])
                try context.save()
            }
        }
        let first = try MappingFixture.open(store, fixture.first, options: tracking)
        let token = try first.performAndWait {
            try addPeople(5, first)
            return try #require(first.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
        }
        try MappingFixture.close(first)
        let archive = try MappingArchive.bytes(fixture.mapping(), from: fixture.first, to: fixture.second)
        try MappingFixture.withResources(["Map.cdm": archive]) {
            let context = try MappingFixture.open(
                store, fixture.second, options: MigrationFixture.options.merging(tracking) { $1 })
            try context.performAndWait {
                let new = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
                // More transactions than the old history had.
                try addPeople(8, context)
                #expect(nsError { _ = try context.history(after: token) }?.code == NSPersistentHistoryTokenExpiredError)
                #expect(try context.history(after: new).count == 8)
                #expect(try context.history().count == 8)
            }
            try MappingFixture.close(context)
        }
    }

    @Test func migratingInPlaceEqualsMigratingByManager() throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore()
        let inferred = try NSMappingModel.inferredMappingModel(
            forSourceModel: fixture.first, destinationModel: fixture.second)
        let copy = try fixture.lines(try fixture.migrate(store, inferred))
        try MappingFixture.close(try MappingFixture.open(store, fixture.second, options: MigrationFixture.options))
        #expect(try fixture.lines(store) == copy)
    }

    @Test func mappingModelsAreFoundByTheirHashes() throws {
        let fixture = try MappingFixture.unique()
        let folder = fixture.url("Bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let archive = try MappingArchive.bytes(fixture.mapping(), from: fixture.first, to: fixture.second)
        try archive.write(to: folder.appendingPathComponent("Map.cdm"))
        let bundle = try #require(Bundle(path: folder.path))
        let found = NSMappingModel(from: [bundle], forSourceModel: fixture.first, destinationModel: fixture.second)
        #expect(found?.entityMappings.map { $0.name ?? "" } == ["PersonToPerson", "PetToPet", "CatToCat"])
        #expect(found?.entityMappingsByName["CatToCat"]?.attributeMappings?.count == 2)
        #expect(NSMappingModel(from: [bundle], forSourceModel: fixture.second, destinationModel: fixture.first) == nil)
        #expect(NSMappingModel(contentsOf: folder.appendingPathComponent("Map.cdm")) != nil)
        #expect(NSMappingModel(contentsOf: folder) == nil)
    }
}
