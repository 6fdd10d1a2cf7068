import CoreData
import Testing

/// NSPersistentContainer and NSPersistentStoreDescription.
@Suite struct ContainerTests {
    private func container(_ descriptions: NSPersistentStoreDescription...) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Self.model())
        container.persistentStoreDescriptions = descriptions
        return container
    }

    private static func model() -> NSManagedObjectModel {
        let model = Library.model()
        let names = ["Author", "Book", "Novel", "Tag"]
        model.setEntities(names.compactMap { model.entitiesByName[$0] }, forConfigurationName: "Texts")
        model.setEntities(["Shelf"].compactMap { model.entitiesByName[$0] }, forConfigurationName: "Furniture")
        return model
    }

    private func inMemory(_ configuration: String? = nil) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        description.configuration = configuration
        return description
    }

    /// Loads the stores, and returns the errors by description.
    private func load(_ container: NSPersistentContainer) -> [NSError?] {
        let errors = Recorder<NSError?>()
        container.loadPersistentStores { _, error in errors.values.append(error as NSError?) }
        return errors.values
    }

    /// The usual code to reset a database removes or destroys the store and loads the stores again.
    @Test func storesThatAreGoneAreLoadedAgain() throws {
        let folder = try TestFolder()
        let file = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("Store.sqlite"))
        let container = container(file, inMemory("Furniture"))
        file.configuration = "Texts"
        #expect(load(container) == [nil, nil])
        #expect(load(container) == [])
        let coordinator = container.persistentStoreCoordinator
        try coordinator.remove(try #require(coordinator.persistentStores.last))
        #expect(load(container) == [nil])
        try coordinator.destroyPersistentStore(at: try #require(file.url), ofType: NSSQLiteStoreType)
        #expect(load(container) == [nil])
        #expect(coordinator.persistentStores.count == 2)
        #expect(load(container) == [])
    }

    // MARK: Descriptions

    @Test func descriptionsHaveApplesDefaults() throws {
        let url = URL(fileURLWithPath: "/tmp/a.sqlite")
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.url == url && description.type == NSSQLiteStoreType && description.configuration == nil)
        #expect(!description.isReadOnly && !description.shouldAddStoreAsynchronously)
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
        #expect(description.timeout == 240)
        #expect(description.options[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber == true)
        #expect(description.options[NSInferMappingModelAutomaticallyOption] as? NSNumber == true)
    }

    @Test func descriptionsMapPropertiesToOptions() throws {
        let description = NSPersistentStoreDescription()
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        #expect(description.options[NSPersistentHistoryTrackingKey] as? NSNumber == true)
        description.setOption(nil, forKey: NSPersistentHistoryTrackingKey)
        #expect(description.options[NSPersistentHistoryTrackingKey] == nil)
        description.isReadOnly = true
        #expect(description.options[NSReadOnlyPersistentStoreOption] as? NSNumber == true)
        description.shouldMigrateStoreAutomatically = false
        #expect(description.options[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber == false)
        description.timeout = 5
        #expect((description.options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue == 5)
        description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        #expect(description.sqlitePragmas["journal_mode"] as? String == "DELETE")
        let pragmas = description.options[NSSQLitePragmasOption] as? [String: NSObject]
        #expect(pragmas?["journal_mode"] as? String == "DELETE")
        // A copy is independent.
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy.isReadOnly && copy.timeout == 5 && !copy.shouldMigrateStoreAutomatically)
        copy.isReadOnly = false
        #expect(description.isReadOnly)
    }

    // MARK: Containers

    @Test func containersHaveApplesDefaults() throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        #expect(container.name == "Library" && container.persistentStoreDescriptions.count == 1)
        let description = try #require(container.persistentStoreDescriptions.first)
        #expect(description.type == NSSQLiteStoreType && description.url?.lastPathComponent == "Library.sqlite")
        #expect(
            description.url?.deletingLastPathComponent().path == NSPersistentContainer.defaultDirectoryURL().path)
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(container.persistentStoreCoordinator.managedObjectModel === container.managedObjectModel)
        #expect(container.viewContext.parent == nil && !container.viewContext.automaticallyMergesChangesFromParent)
        let background = container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueueConcurrencyType)
        #expect(background.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(background !== container.newBackgroundContext())
    }

    /// In-memory stores, created in each possible way; two of them share nothing.
    @Test func containersLoadInMemoryStores() throws {
        let null = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        for description in [inMemory(), null] {
            let (one, two) = (container(description), container(description))
            #expect(load(one) == [nil] && load(two) == [nil])
            let store = try #require(one.persistentStoreCoordinator.persistentStores.first)
            #expect(!store.isReadOnly && store.persistentStoreCoordinator === one.persistentStoreCoordinator)
            let context = one.newBackgroundContext()
            try context.performAndWait {
                let author = context.make("Author")
                try context.save()
                #expect(author.objectID.persistentStore === store)
            }
            let contexts = [one.newBackgroundContext(), two.newBackgroundContext()]
            let counts = try contexts.map { context in try context.performAndWait { try context.all("Author").count } }
            #expect(counts == [1, 0])
        }
    }

    @Test func loadsOnTheCallingThread() throws {
        let container = container(inMemory("Texts"), inMemory("Furniture"))
        let names = Recorder<String?>()
        let thread = Thread.current
        container.loadPersistentStores { description, error in
            #expect(error == nil && Thread.current === thread)
            names.values.append(description.configuration)
        }
        #expect(names.values == ["Texts", "Furniture"])
    }

    @Test func loadsAsynchronously() async throws {
        let description = inMemory()
        description.shouldAddStoreAsynchronously = true
        let container = container(description)
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<NSError?, Never>) in
            container.loadPersistentStores { _, error in continuation.resume(returning: error as NSError?) }
        }
        #expect(error == nil && container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    // MARK: Configurations

    @Test func entitiesGoToTheStoreOfTheirConfiguration() throws {
        let container = container(inMemory("Texts"), inMemory("Furniture"))
        #expect(load(container) == [nil, nil])
        let stores = container.persistentStoreCoordinator.persistentStores
        #expect(stores.map(\.configurationName) == ["Texts", "Furniture"])
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let (author, shelf) = (context.make("Author"), context.make("Shelf"))
            _ = context.make("Novel", ["author": author])
            try context.save()
            #expect(author.objectID.persistentStore === stores[0] && shelf.objectID.persistentStore === stores[1])
            let fresh = container.newBackgroundContext()
            #expect(try fresh.all("Shelf").count == 1 && fresh.all("Book").count == 1)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.affectedStores = [stores[1]]
            #expect(try fresh.count(for: request) == 0)
        }
    }

    /// Relationships cannot cross stores (133010).
    @Test func relationshipsCannotCrossStores() throws {
        let container = container(inMemory("Texts"), inMemory("Furniture"))
        #expect(load(container) == [nil, nil])
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let book = context.make("Book", ["shelf": context.make("Shelf")])
            #expect {
                try context.save()
            } throws: { ($0 as NSError).code == NSManagedObjectExternalRelationshipError }
            // Nothing was saved.
            #expect(book.isInserted && book.objectID.isTemporaryID)
            #expect(try container.newBackgroundContext().all("Book").isEmpty)
            book.setValue(nil, forKey: "shelf")
            try context.save()
        }
    }

    @Test func manyToManyRelationshipsCannotCrossStores() throws {
        let model = Library.model()
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [inMemory(), inMemory()]
        #expect(load(container) == [nil, nil])
        let stores = container.persistentStoreCoordinator.persistentStores
        let context = container.newBackgroundContext()
        context.performAndWait {
            let (book, tag) = (context.make("Book"), context.make("Tag"))
            context.assign(book, to: stores[1])
            context.assign(tag, to: stores[0])
            book.mutableSetValue(forKey: "tags").add(tag)
            #expect {
                try context.save()
            } throws: { ($0 as NSError).code == NSManagedObjectExternalRelationshipError }
            #expect(book.isInserted && tag.isInserted)
        }
    }

    /// A new object is saved to the first store that accepts its entity, unless it is assigned to another
    /// (Documentation/Formats/RuntimeBehavior.md, 1.1).
    @Test func newObjectsAreSavedToTheirAssignedStore() throws {
        let first = inMemory()
        first.isReadOnly = true
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = [first, inMemory(), inMemory()]
        #expect(load(container) == [nil, nil, nil])
        let stores = container.persistentStoreCoordinator.persistentStores
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let (one, two) = (context.make("Author"), context.make("Author"))
            context.assign(two, to: stores[2])
            try context.save()
            #expect(one.objectID.persistentStore === stores[1] && two.objectID.persistentStore === stores[2])
        }
    }

    // MARK: Errors

    @Test func loadingReportsAnErrorForEachStore() throws {
        let unknown = inMemory()
        unknown.type = "Nothing"
        // Each description is reported; one that fails does not prevent others from loading.
        let container = container(unknown, inMemory("Nowhere"), inMemory("Texts"))
        let errors = load(container)
        #expect(errors.count == 3 && errors[2] == nil)
        #expect(errors[0]?.domain == NSCocoaErrorDomain && errors[0]?.code == NSPersistentStoreInvalidTypeError)
        #expect(errors[1]?.domain == NSCocoaErrorDomain)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test func savingWithoutStoresIsAnError() throws {
        let context = container().newBackgroundContext()
        context.performAndWait {
            _ = context.make("Author")
            #expect {
                try context.save()
            } throws: { ($0 as NSError).domain == NSCocoaErrorDomain }
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test func readOnlyStoresRejectChanges() throws {
        let description = inMemory()
        description.isReadOnly = true
        let container = container(description)
        #expect(load(container) == [nil])
        #expect(container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
        let context = container.newBackgroundContext()
        context.performAndWait {
            _ = context.make("Author")
            #expect {
                try context.save()
            } throws: { ($0 as NSError).domain == NSCocoaErrorDomain }
        }
    }

    @Test func removedStoresMakeObjectsInaccessible() throws {
        let container = container(inMemory())
        #expect(load(container) == [nil])
        let coordinator = container.persistentStoreCoordinator
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let author = context.make("Author")
            try context.save()
            let uri = author.objectID.uriRepresentation()
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == author.objectID)
            try coordinator.remove(try #require(coordinator.persistentStores.first))
            #expect(coordinator.persistentStores.isEmpty)
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
        }
    }
}
