import CoreData
import Testing

/// SQLite stores at `/dev/null`, which Apple's documentation recommends for tests: all features of a file, in memory.
@Suite struct MemorySQLiteTests {
    private static func model() -> NSManagedObjectModel {
        let model = Library.model()
        model.entitiesByName["Author"]?.uniquenessConstraints = [["name"]]
        return model
    }

    private func open(
        _ path: String = "/dev/null", _ options: [AnyHashable: Any] = [:]
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test(arguments: ["/dev/null", "/dev/null/Model.sqlite"])
    func theStoreIsASQLiteStore(_ path: String) throws {
        let context = try open(path)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.type == NSSQLiteStoreType && store.url == URL(fileURLWithPath: path) && !store.isReadOnly)
        try context.performAndWait {
            let data = Data(repeating: 7, count: 300_000)
            let author = context.make("Author", ["name": "Ada"])
            let book = context.make("Book", ["title": "Notes", "author": author, "data": data])
            try context.save()
            context.reset()
            let found = try #require(try context.all("Book").first)
            #expect(found.value(forKey: "data") as? Data == data)
            #expect(found.value(forKeyPath: "author.name") as? String == "Ada" && found.objectID == book.objectID)
        }
        #expect(!FileManager.default.fileExists(atPath: "/dev/.null_SUPPORT"))
    }

    @Test func storesAtDevNullAreIndependent() throws {
        let (one, other) = (try open(), try open())
        try one.performAndWait {
            _ = one.make("Author", ["name": "Ada"])
            try one.save()
        }
        #expect(try other.performAndWait { try other.all("Author").count } == 0)
    }

    @Test func storesOfOneNameShareADatabase() throws {
        let path = "/dev/null/\(UUID().uuidString).sqlite"
        let (one, other) = (try open(path), try open(path))
        try one.performAndWait {
            _ = one.make("Author", ["name": "Ada"])
            try one.save()
        }
        #expect(try other.performAndWait { try other.all("Author").count } == 1)
        try TestStore.close(one)
        #expect(try open(path).performAndWait { 1 } == 1)
        try TestStore.close(other)
        let later = try open(path)
        #expect(try later.performAndWait { try later.all("Author").count } == 0)
    }

    @Test func uniqueConstraintsHold() throws {
        let context = try open()
        try context.performAndWait {
            _ = context.make("Author", ["name": "Ada", "age": 1])
            try context.save()
            _ = context.make("Author", ["name": "Ada", "age": 2])
            #expect(throws: CocoaError.self) { try context.save() }
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try context.save()
            #expect(try context.all("Author").map { $0.value(forKey: "age") as? Int } == [2])
        }
    }

    @Test func batchRequestsAndHistoryWork() throws {
        let context = try open("/dev/null", [NSPersistentHistoryTrackingKey: true])
        try context.performAndWait {
            let insert = NSBatchInsertRequest(
                entityName: "Author", objects: [["name": "Ada", "age": 1], ["name": "Eve", "age": 2]])
            try context.execute(insert)
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["age": 5]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == %@", "Eve")
            try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            #expect(try context.all("Author").map { $0.value(forKey: "age") as? Int } == [5])
            let changes = try context.history().flatMap { $0.changes ?? [] }.map(\.changeType)
            #expect(changes == [.insert, .insert, .update, .update, .delete])
        }
    }

    /// SQLite has no write-ahead log in memory, so that a pinned context reads the current state.
    @Test func pinnedContextsReadTheirGeneration() throws {
        let context = try open()
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
            #expect(try context.all("Author").count == 1)
        }
    }

    @Test func storesInMemoryCannotBeAccessedByURL() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let url = URL(fileURLWithPath: "/dev/null")
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        }
        #expect(throws: CocoaError.self) {
            try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
        }
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
        }
        // A copy in memory, and back.
        let owner = try #require(context.persistentStoreCoordinator)
        let copy = try owner.migratePersistentStore(owner.persistentStores[0], to: url, withType: NSSQLiteStoreType)
        let back = store.folder.appendingPathComponent("Back.sqlite")
        try owner.migratePersistentStore(copy, to: back, withType: NSSQLiteStoreType)
        #expect(try context.performAndWait { try context.all("Author").count } == 1)
        #expect(FileManager.default.fileExists(atPath: back.path))
    }
}
