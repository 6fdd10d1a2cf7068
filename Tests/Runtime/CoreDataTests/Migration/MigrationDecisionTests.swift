import CoreData
import Testing

/// The decision to migrate a store, and the error if that is impossible.
@Suite struct MigrationDecisionTests {
    private static func entity(_ type: String) -> String {
        "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
    }

    private func filled() throws -> MigrationFixture {
        let fixture = try MigrationFixture(Self.entity("String"))
        try fixture.fill { context throws in _ = context.make("A", ["x": "1"]) }
        return fixture
    }

    private static let other = """
        <entity name="A"><attribute name="x" optional="YES" attributeType="String"/><attribute name="y" optional="YES" \
        attributeType="String"/></entity>
        """

    @Test func oldStoresAreRejectedWithoutTheOption() throws {
        let error = try filled().failure(Self.other, [:])
        #expect(error.code == 134100)
    }

    @Test func aMappingModelIsRequiredWithoutInference() throws {
        let error = try filled().failure(Self.other, [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(error.code == 134140)
    }

    @Test func typesThatCannotBeConvertedAreNamed() throws {
        let error = try filled().failure(Self.entity("Binary"))
        #expect(error.code == 134140)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.code == 134190)
        #expect(underlying.userInfo["entity"] as? String == "A")
        #expect(underlying.userInfo["property"] as? String == "x")
        #expect(
            underlying.userInfo["reason"] as? String == "Source and destination attribute types are incompatible")
        #expect(error.localizedDescription.contains("“A.x”"))
        #expect(error.localizedDescription.contains("Add an attribute of the new type"))
    }

    @Test func requiredAttributeWithoutDefaultIsNamed() throws {
        let error = try filled().failure(
            "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
        #expect(error.code == 134140)
        #expect(error.localizedDescription.contains("Give it a default value, or make it optional"))
    }

    @Test func storeWithoutAModelIsRejected() throws {
        let fixture = try filled()
        try fixture.store.database().run("DELETE FROM Z_MODELCACHE")
        let error = try fixture.failure(Self.other)
        #expect(error.code == 134130)
        #expect(error.userInfo["reason"] as? String == "Can't find model for source store")
        #expect(error.userInfo["metadata"] != nil)
    }

    @Test func readOnlyStoreIsRejected() throws {
        var options = MigrationFixture.options
        options[NSReadOnlyPersistentStoreOption] = true
        #expect(try filled().failure(Self.other, options).code == 134110)
    }

    @Test func metadataOfTheAppIsKept() throws {
        let fixture = try filled()
        let context = try fixture.store.open()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let identifier = try #require(store.identifier)
        coordinator.setMetadata(coordinator.metadata(for: store).merging(["app": "mine"]) { $1 }, for: store)
        try context.performAndWait { try context.save() }
        try TestStore.close(context)
        try fixture.migrate(to: Self.other) { context throws in
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            #expect(store.metadata["app"] as? String == "mine")
            #expect(store.identifier == identifier)
        }
    }

    @Test func containerMigratesByDefault() throws {
        let fixture = try filled()
        let container = NSPersistentContainer(name: "M", managedObjectModel: try MigrationFixture.model(Self.other))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: fixture.store.url)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test func storeIsCopiedBeforeAColumnIsDropped() throws {
        let fixture = try filled()
        let copy = fixture.store.folder.appendingPathComponent("Copy.sqlite")
        let options: [AnyHashable: Any] = [NSPersistentStoreMigrationBackupOption: copy]
        try fixture.migrate(to: Self.other, options) { _ in }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        try fixture.migrate(to: "<entity name=\"A\"/>", options) { _ in }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try MigrationFixture.model(Self.other))
        #expect(throws: Never.self) {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: copy)
        }
        #expect(try TestDatabase(path: copy.path).rows("SELECT ZX FROM ZA") == [["1"]])
    }

    /// Without a free name, the migration fails rather than dropping the data without a backup.
    @Test func migrationsFailIfThereAreTooManyBackups() throws {
        let fixture = try filled()
        for number in 1...1000 {
            let name = number == 1 ? "Store-backup.sqlite" : "Store-backup-\(number).sqlite"
            try Data().write(to: fixture.store.folder.appendingPathComponent(name))
        }
        let options = MigrationFixture.options.merging([NSPersistentStoreMigrationBackupOption: true]) { $1 }
        #expect(try fixture.failure("<entity name=\"A\"/>", options).code == NSMigrationError)
        #expect(try fixture.rows("SELECT ZX FROM ZA") == [["1"]])
    }

    @Test func deferredCleanUpIsDoneOnRequest() throws {
        let fixture = try filled()
        let options: [AnyHashable: Any] = [NSPersistentStoreDeferredLightweightMigrationOptionKey: true]
        let old = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'Z_OLDVERSION%'"
        try fixture.migrate(to: "<entity name=\"A\"/>", options, checksSchema: false) { context throws in
            #expect(try context.all("A").count == 1)
            #expect(try fixture.rows(old) == [["1"]])
            let coordinator = try #require(context.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            #expect(store.metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] as? Bool == true)
            try coordinator.finishDeferredLightweightMigration()
            try coordinator.finishDeferredLightweightMigrationTask()
            #expect(store.metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] == nil)
            #expect(try fixture.rows(old) == [["0"]])
        }
        try fixture.expectSchema(of: try MigrationFixture.model("<entity name=\"A\"/>"))
    }

    @Test func storesOfTwoConfigurationsMigrateSeparately() throws {
        func model(_ more: String) -> String {
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            <entity name="B">\(more)<attribute name="y" optional="YES" attributeType="String"/></entity>
            <configuration name="One"><memberEntity name="A"/></configuration>
            <configuration name="Two"><memberEntity name="B"/></configuration>
            """
        }
        let fixture = try MigrationFixture(model(""))
        let second = fixture.store.folder.appendingPathComponent("Second.sqlite")
        func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            for (name, url) in [("One", fixture.store.url), ("Two", second)] {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: name, at: url, options: options)
            }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        let context = try open(fixture.source, nil)
        try context.performAndWait {
            _ = context.make("A", ["x": "1"])
            _ = context.make("B", ["y": "2"])
            try context.save()
        }
        try TestStore.close(context)
        let new = try MigrationFixture.model(
            model("<attribute name=\"n\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"d\"/>"))
        let migrated = try open(new, MigrationFixture.options)
        try migrated.performAndWait { () throws in
            #expect(try migrated.all("A").map { $0.value(forKey: "x") as? String } == ["1"])
            #expect(try migrated.all("B").map { $0.value(forKey: "n") as? String } == ["d"])
        }
        try TestStore.close(migrated)
        fixture.store.isSound = false
    }
}
