import CoreData
import Testing

/// Creating, opening, copying and removing SQLite stores.
@Suite struct SQLiteStoreTests {
    /// The container's default is a SQLite store; the next container reads the saved data.
    @Test func savedObjectsAreReadAgain() throws {
        let store = try TestStore()
        func container() -> NSPersistentContainer {
            let container = NSPersistentContainer(name: "Library", managedObjectModel: store.model)
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store.url)]
            container.loadPersistentStores { _, error in #expect(error == nil) }
            return container
        }
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        let uuid = UUID()
        let first = container()
        let context = first.newBackgroundContext()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Ursula", "age": 88])
            let shelf = context.make("Shelf", ["name": "top"])
            let novel = context.make(
                "Novel",
                [
                    "title": "Tehanu — 4 🐉", "pages": 226, "price": 9.5, "isNew": false, "date": date, "uuid": uuid,
                    "data": Data([0, 1, 255]), "cost": NSDecimalNumber(string: "10.11"),
                    "link": URL(string: "https://example.com/a?b=c%20d"), "weight": Float(0.1),
                    "extra": ["a", "b"] as NSArray, "genre": "fantasy", "author": author,
                ])
            for index in 0..<4 { _ = context.make("Book", ["title": "\(index)", "shelf": shelf, "sequel": nil]) }
            shelf.mutableOrderedSetValue(forKey: "volumes").insert(novel, at: 1)
            for name in ["x", "y"] { novel.mutableSetValue(forKey: "tags").add(context.make("Tag", ["name": name])) }
            try context.save()
        }
        let again = container().newBackgroundContext()
        try again.performAndWait {
            let novel = try #require(try again.all("Novel").first)
            #expect(novel.entity.name == "Novel" && novel.value(forKey: "title") as? String == "Tehanu — 4 🐉")
            #expect(novel.value(forKey: "pages") as? Int == 226 && novel.value(forKey: "price") as? Double == 9.5)
            #expect(novel.value(forKey: "isNew") as? Bool == false && novel.value(forKey: "date") as? Date == date)
            #expect(novel.value(forKey: "uuid") as? UUID == uuid)
            #expect(novel.value(forKey: "data") as? Data == Data([0, 1, 255]))
            #expect(novel.value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "10.11"))
            #expect(novel.value(forKey: "link") as? URL == URL(string: "https://example.com/a?b=c%20d"))
            #expect(novel.value(forKey: "weight") as? Float == 0.1)
            #expect(novel.value(forKey: "extra") as? NSArray == ["a", "b"])
            #expect(novel.value(forKeyPath: "author.name") as? String == "Ursula")
            #expect(novel.names("tags") == ["x", "y"])
            let shelf = try #require(novel.value(forKey: "shelf") as? NSManagedObject)
            #expect(shelf.names("volumes") == ["0", "Tehanu — 4 🐉", "1", "2", "3"])
        }
    }

    /// Properties of the file that Apple's framework requires (Documentation/Formats/SQLiteStore.md, 1 and 2).
    @Test func filesHaveApplesLayout() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for index in 0..<3 { _ = context.make("Book", ["title": "\(index)", "author": author]) }
            try context.save()
            author.setValue("b", forKey: "name")
            try context.save()
        }
        let database = try store.database()
        #expect(try database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR") == [["1", "1", "2", "b"]])
        #expect(try database.rows("SELECT Z_OPT, count(*) FROM ZBOOK GROUP BY Z_OPT") == [["1", "3"]])
        #expect(
            try database.rows("SELECT Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY") == [
                ["Author", "0", "1"], ["Book", "0", "3"], ["Novel", "2", "0"], ["Shelf", "0", "0"], ["Tag", "0", "0"],
            ])
        #expect(try database.rows("PRAGMA journal_mode") == [["wal"]])
        #expect(try database.rows("PRAGMA auto_vacuum") == [["2"]])
        #expect(try database.rows("PRAGMA page_size") == [["4096"]])
        let metadata = try #require(
            context.persistentStoreCoordinator?.persistentStores.first?.metadata)
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == store.model.versionChecksum)
        #expect(
            try database.rows("SELECT Z_VERSION, Z_UUID FROM Z_METADATA") == [
                ["1", metadata[NSStoreUUIDKey] as? String]
            ])
        // The file contains the model.
        let archive = store.folder.appendingPathComponent("Copy.mom")
        try TestStore.modelArchive(store.url).write(to: archive)
        #expect(
            NSManagedObjectModel(contentsOf: archive)?.entityVersionHashesByName
                == store.model.entityVersionHashesByName)
    }

    /// The order of members is stored in steps of 1024 from 2048 (Documentation/Formats/SQLiteStore.md, 3.5).
    @Test func ordersAreStoredAsInApplesStores() throws {
        let store = try TestStore()
        let context = try store.open()
        let database = try store.database()
        func order() throws -> [[String?]] {
            try database.rows("SELECT ZTITLE, Z_FOK_SHELF FROM ZBOOK WHERE ZSHELF NOTNULL ORDER BY Z_FOK_SHELF")
        }
        try context.performAndWait {
            let shelf = context.make("Shelf")
            let books = (0..<3).map { context.make("Book", ["title": "\($0)", "shelf": shelf]) }
            try context.save()
            #expect(try order() == [["0", "2048"], ["1", "3072"], ["2", "4096"]])
            let volumes = shelf.mutableOrderedSetValue(forKey: "volumes")
            volumes.insert(context.make("Book", ["title": "new"]), at: 1)
            try context.save()
            #expect(try order() == [["0", "2048"], ["new", "2560"], ["1", "3072"], ["2", "4096"]])
            volumes.moveObjects(at: IndexSet(integer: 3), to: 0)
            books[0].setValue(nil, forKey: "shelf")
            try context.save()
            #expect(try order().map { $0[0] } == ["2", "new", "1"])
            #expect(
                try database.rows("SELECT count(*) FROM ZBOOK WHERE ZSHELF ISNULL AND Z_FOK_SHELF NOTNULL") == [["0"]])
        }
    }

    @Test func incompatibleModelsAreRejected() throws {
        let store = try TestStore()
        try TestStore.close(store.open())
        let other = Library.model()
        other.entitiesByName["Tag"]?.properties.append(
            {
                let attribute = NSAttributeDescription()
                attribute.name = "colour"
                attribute.attributeType = .stringAttributeType
                return attribute
            }())
        let error = nsError { _ = try store.open(model: other) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }

    /// The error for another version of the model names the entities that differ, for every way to open a store.
    @Test func incompatibleModelsAreCompared() throws {
        let store = try TestStore()
        try TestStore.close(store.open())
        func entity(_ name: String) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        let other = Library.model()
        other.entitiesByName["Tag"]?.attributesByName["name"]?.isOptional.toggle()
        other.entities = other.entities.filter { $0.name != "Shelf" } + [entity("Color")]
        let container = NSPersistentContainer(name: "Library", managedObjectModel: other)
        let description = NSPersistentStoreDescription(url: store.url)
        description.shouldMigrateStoreAutomatically = false
        container.persistentStoreDescriptions = [description]
        var loading: NSError?
        container.loadPersistentStores { loading = $1 as NSError? }
        let adding = nsError { _ = try store.open(model: other) }
        for error in [loading, adding] {
            let error = try #require(error)
            #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
            let reason = "The model used to open the store is incompatible with the one used to create the store"
            // Books have lost the destination of a relationship, which novels inherit.
            let difference = "entities added: Color; removed: Shelf; changed: Book, Novel, Tag"
            #expect(error.localizedDescription == "\(reason): \(difference)")
            #expect(error.userInfo["reason"] as? String == reason)
            let metadata = error.userInfo["metadata"] as? [String: Any]
            #expect((metadata?[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.contains("Shelf") == true)
        }
        let many = NSManagedObjectModel()
        many.entities = (10..<40).map { entity("E\($0)") }
        let error = nsError { _ = try store.open(model: many) }
        #expect(
            error?.localizedDescription.hasSuffix(
                "added: E10, E11, E12, E13, E14, E15, E16, E17, E18, E19 and 20 more; "
                    + "removed: Author, Book, Novel, Shelf, Tag") == true)
    }

    // MARK: Metadata

    @Test func metadataRoundTrips() throws {
        let store = try TestStore()
        let context = try store.open()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let opened = try #require(coordinator.persistentStores.first)
        var metadata = coordinator.metadata(for: opened)
        metadata["version"] = 7
        metadata["tags"] = ["a", "b"]
        metadata["when"] = Date(timeIntervalSinceReferenceDate: 5)
        coordinator.setMetadata(metadata, for: opened)
        try context.performAndWait { try context.save() }
        let uuid = opened.identifier
        try TestStore.close(context)
        func read() throws -> [String: Any] {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store.url)
        }
        var stored = try read()
        #expect(stored["version"] as? Int == 7 && stored["tags"] as? [String] == ["a", "b"])
        #expect(stored["when"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(stored[NSStoreUUIDKey] as? String == uuid)
        #expect(store.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: stored))
        stored["version"] = 8
        try NSPersistentStoreCoordinator.setMetadata(stored, forPersistentStoreOfType: NSSQLiteStoreType, at: store.url)
        #expect(try read()["version"] as? Int == 8)
        let missing = nsError {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store.folder.appendingPathComponent("None.sqlite"))
        }
        #expect(missing?.domain == NSCocoaErrorDomain)
        #expect(try store.open().performAndWait { true })
    }

    // MARK: Moving

    private func fill(_ context: NSManagedObjectContext, _ count: Int = 3) throws {
        try context.performAndWait {
            for index in 0..<count {
                let author = context.make("Author", ["name": "\(index)"])
                _ = context.make("Book", ["title": "\(index)", "author": author])
            }
            try context.save()
        }
    }

    @Test func destroyingLeavesAnEmptyDatabase() throws {
        let store = try TestStore()
        let context = try store.open()
        try fill(context)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try TestStore.close(context)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        func tables() throws -> [[String?]] { try store.database().rows("SELECT name FROM sqlite_master") }
        #expect(try store.files() == ["Store.sqlite"])
        #expect(try tables().isEmpty)
        // Nothing is left to destroy.
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"])
        // A missing file is created, and a damaged one becomes an empty database, too.
        try FileManager.default.removeItem(at: store.url)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"])
        try Data("SQLite format 3\u{0} and then nothing that SQLite knows".utf8).write(to: store.url)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"] && tables().isEmpty)
        let again = try store.open()
        #expect(try again.performAndWait { try again.all("Author").count } == 0)
    }

    @Test func replacingCopiesTheOtherStore() throws {
        let (store, other) = (try TestStore(), try TestStore())
        let (context, source) = (try store.open(), try other.open())
        try fill(context)
        try fill(source, 5)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let error = nsError {
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        try TestStore.close(context)
        // The source is in use.
        try coordinator.replacePersistentStore(
            at: store.url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
        let again = try store.open()
        #expect(try again.performAndWait { try again.all("Author").count } == 5)
        #expect(try source.performAndWait { try source.all("Author").count } == 5)
        #expect(try store.files().allSatisfy { $0.hasPrefix("Store.sqlite") })
    }

    @Test func migratingCopiesObjectsToAFile() throws {
        let store = try TestStore()
        let context = try Library.context()
        try fill(context)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let memory = try #require(coordinator.persistentStores.first)
        let file = try coordinator.migratePersistentStore(
            memory, to: store.url, options: nil, withType: NSSQLiteStoreType)
        #expect(file.type == NSSQLiteStoreType && coordinator.persistentStores == [file])
        let again = try store.open()
        try again.performAndWait {
            let books = try again.all("Book", by: "title")
            #expect(books.compactMap { $0.value(forKeyPath: "author.name") as? String } == ["0", "1", "2"])
        }
        let url = store.folder.appendingPathComponent("Copy.sqlite")
        let copy = try coordinator.migratePersistentStore(file, to: url, options: nil, withType: NSSQLiteStoreType)
        let back = try coordinator.migratePersistentStore(
            copy, to: URL(fileURLWithPath: "/dev/null"), options: nil, withType: NSInMemoryStoreType)
        #expect(back.type == NSInMemoryStoreType)
        let last = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        last.persistentStoreCoordinator = coordinator
        #expect(try last.performAndWait { try last.all("Book").count } == 3)
    }

    // MARK: Options

    @Test func pragmasAreAppliedAndValidated() throws {
        let store = try TestStore()
        let options: [AnyHashable: Any] = [
            NSSQLitePragmasOption: ["journal_mode": "DELETE", "cache_size": "500", "x; DROP TABLE ZBOOK": "1"],
            NSSQLiteAnalyzeOption: true, NSSQLiteManualVacuumOption: true,
        ]
        let context = try store.open(options)
        try fill(context)
        #expect(try store.database().rows("PRAGMA journal_mode") == [["delete"]])
        #expect(try store.files() == ["Store.sqlite"])
        try TestStore.close(context)
        try TestStore.close(store.open(options))
        #expect(try store.database().rows("SELECT count(*) > 0 FROM sqlite_stat1") == [["1"]])
    }
}
