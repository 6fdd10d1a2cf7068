import CoreData
import Testing

/// Code in the style of libraries and apps for Apple's platforms has the same behavior on Linux.
@Suite struct SourceCompatibilityTests {
    private func coordinator() throws -> CountingCoordinator {
        let coordinator = CountingCoordinator(managedObjectModel: Note.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        return coordinator
    }

    // MARK: Generic code

    @Test func genericFactoriesCreateObjectsOfTheClass() throws {
        let context = try Library.context()
        let author: Author = context.insertNew { $0.setValue("Austen", forKey: "name") }
        #expect(
            author.isInserted && author.entity.name == "Author" && author.value(forKey: "name") as? String == "Austen")
        #expect(type(of: Book.create(in: context)) == Book.self)
        #expect(try #require(Author.createByEntity(in: context)).managedObjectContext === context)
        #expect(Repository<Author>(context: context).add().entity.name == "Author")
        let same = try context.firstOrNew(Author.self, matching: NSPredicate(format: "name == 'Austen'"))
        #expect(same === author)
        let new = try context.firstOrNew(Author.self, matching: NSPredicate(format: "name == 'Nobody'"))
        #expect(new !== author && new.isInserted)
    }

    // MARK: Overridden members

    @Test func overriddenMembersOfCoordinatorsAreCalled() throws {
        let coordinator = try coordinator()
        #expect(coordinator.counts["add"] == 1)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        coordinator.addPersistentStore(with: description) { _, error in #expect(error == nil) }
        // The overridden method also adds the store of a description and that of the short form.
        #expect(coordinator.counts["addWithDescription"] == 1 && coordinator.counts["add"] == 2)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        #expect(coordinator.counts["add"] == 3)
        #expect(coordinator.metadata(for: coordinator.persistentStores[0])[NSStoreTypeKey] as? String == "InMemory")
        coordinator.performAndWait {}
        let five = coordinator.performAndWait { 5 }
        #expect(coordinator.counts["metadata"] == 1 && coordinator.counts["performAndWait"] == 1 && five == 5)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (one, other) = (folder.appendingPathComponent("1.sqlite"), folder.appendingPathComponent("2.sqlite"))
        let moved = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: one, type: .sqlite)
        #expect(coordinator.counts["migrate"] == 1 && moved.type == NSSQLiteStoreType)
        try coordinator.remove(moved)
        try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: one, type: .sqlite)
        try coordinator.destroyPersistentStore(at: one, type: .sqlite)
        #expect(["remove", "replace", "destroy"].map { coordinator.counts[$0] } == [1, 1, 1])
    }

    @Test func overriddenMembersOfContextsAreCalled() throws {
        let context = MockContext(coordinator: try coordinator())
        context.performAndWait {
            _ = Note(text: "a", context: context)
            try? context.save()
        }
        #expect(context.counts["performAndWait"] == 1)
        let texts = try context.performAndWait {
            try context.fetch(NSFetchRequest<Note>(entityName: "Note")).map { $0.value(forKey: "text") as? String }
        }
        #expect(texts == ["a"] && context.counts["fetch"] == 1)
        #expect(try context.count(for: NSFetchRequest<Note>(entityName: "Note")) == 1 && context.counts["count"] == 1)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Note")
        dictionaries.resultType = .dictionaryResultType
        #expect(try context.fetch(dictionaries) == [["text": "a"]])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Note")
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids).count == 1)
        context.failure = CocoaError(.featureUnsupported)
        #expect(throws: CocoaError(.featureUnsupported)) { try context.fetch(NSFetchRequest<Note>(entityName: "Note")) }
        #expect(throws: CocoaError(.featureUnsupported)) {
            try context.count(for: NSFetchRequest<Note>(entityName: "Note"))
        }
        #expect(throws: CocoaError(.featureUnsupported)) { try context.save() }
        context.failure = nil
        _ = try context.execute(NSFetchRequest<Note>(entityName: "Note"))
        #expect(context.counts["execute"] == 1)
    }

    @Test func inaccessibleFaultsAskTheContext() throws {
        let coordinator = try coordinator()
        let (context, other) = (MockContext(coordinator: coordinator), try Library.context(coordinator))
        context.shouldDeleteInaccessibleFaults = false
        let note = other.insertNew(Note.self)
        try other.save()
        let fault = context.object(with: note.objectID)
        other.delete(note)
        try other.save()
        #expect(fault.value(forKey: "text") == nil && context.counts["inaccessible"] == 1)
    }

    @Test func containersUseTheirOverrides() throws {
        let container = AppContainer(name: "App", managedObjectModel: Note.model())
        #expect(container.persistentStoreDescriptions.first?.url?.path.hasSuffix("AppContainer/App.sqlite") == true)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let done = DispatchSemaphore(value: 0)
        container.performBackgroundTask { context in
            #expect(context.transactionAuthor == "app")
            done.signal()
        }
        done.wait()
        #expect(container.counts["newBackgroundContext"] == 1)
    }

    @Test func overriddenMergePoliciesSeeConflicts() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = CountingCoordinator(managedObjectModel: Note.model())
        try coordinator.addPersistentStore(type: .sqlite, at: folder.appendingPathComponent("1.sqlite"))
        let (first, second) = (try Library.context(coordinator), try Library.context(coordinator))
        let policy = CountingPolicy()
        second.mergePolicy = policy
        let note = Note(text: "a", context: first)
        try first.save()
        let same = second.object(with: note.objectID)
        same.setValue("second", forKey: "text")
        note.setValue("first", forKey: "text")
        try first.save()
        try second.save()
        #expect(policy.counts["optimisticLocking"] == 1 && policy.counts["merge"] == 1)
        _ = Note(text: "second", context: second)
        try second.save()
        #expect(policy.counts["constraint"] == 1)
    }

    @Test func subclassedDescriptionsBuildAModel() throws {
        let entity = AppEntity()
        entity.name = "Thing"
        entity.properties = [AppAttribute("name", .stringAttributeType)]
        let model = AppModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = try Library.context(coordinator)
        context.make("Thing", ["name": "a"]).setValue("b", forKey: "name")
        try context.save()
        let request = AppRequest<NSManagedObject>(entityName: "Thing")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context.fetch(request).count == 1 && entity.managedObjectModel === model)
        let controller = AppController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.object(at: IndexPath(item: 0, section: 0)).value(forKey: "name") as? String == "b")
    }

    // MARK: Stores

    @Test func incrementalStoresOverrideTheDesignatedInitializer() throws {
        NSPersistentStoreCoordinator.registerStoreClass(
            GuideIncrementalStore.self, forStoreType: GuideIncrementalStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Note.model())
        let added = try coordinator.addPersistentStore(
            ofType: GuideIncrementalStore.storeType, configurationName: nil, at: nil, options: ["key": "value"])
        let store = try #require(added as? GuideIncrementalStore)
        #expect(store.identifier == "GUIDE" && store.options?["key"] as? String == "value")
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Note"])
        let id = store.newObjectID(for: entity, referenceObject: "7")
        #expect(try Library.context(coordinator).existingObject(with: id).value(forKey: "text") as? String == "7")
    }

    @Test func metadataIsSavedWithoutOtherChanges() throws {
        NSPersistentStoreCoordinator.registerStoreClass(
            GuideAtomicStore.self, forStoreType: GuideAtomicStore.storeType)
        NSPersistentStoreCoordinator.registerStoreClass(
            GuideIncrementalStore.self, forStoreType: GuideIncrementalStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Note.model())
        for type in [GuideAtomicStore.storeType, GuideIncrementalStore.storeType] {
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        }
        let atomic = try #require(coordinator.persistentStores[0] as? GuideAtomicStore)
        let incremental = try #require(coordinator.persistentStores[1] as? GuideIncrementalStore)
        let context = try Library.context(coordinator)
        // A store that was just added has nothing to write.
        try context.save()
        #expect(atomic.savedMetadata.isEmpty && incremental.metadataSaves == 0)
        atomic.metadata["app"] = "one"
        incremental.metadata["app"] = "two"
        #expect(!context.hasChanges)
        try context.save()
        #expect(atomic.savedMetadata.map { $0["app"] as? String } == ["one"] && incremental.metadataSaves == 1)
        try context.save()
        #expect(atomic.savedMetadata.count == 1 && incremental.metadataSaves == 1)
    }

    @Test func metadataOfSQLiteStoresIsSavedWithoutOtherChanges() throws {
        let store = try TestStore(Note.model())
        let context = try store.open()
        let open = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        var metadata = try #require(open.metadata)
        metadata["app"] = "mine"
        open.metadata = metadata
        try context.save()
        try TestStore.close(context)
        let saved = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.url)
        #expect(saved["app"] as? String == "mine" && saved[NSStoreUUIDKey] as? String == open.identifier)
        var changed = saved
        changed["app"] = "other"
        try NSPersistentStoreCoordinator.setMetadata(changed, type: .sqlite, at: store.url)
        let again = try store.open()
        #expect(again.persistentStoreCoordinator?.persistentStores.first?.metadata["app"] as? String == "other")
        try TestStore.close(again)
    }

    /// Apple's documentation: uniqueness constraints are a feature of SQLite stores.
    @Test func storesInMemoryDoNotEnforceUniqueness() throws {
        let context = try Library.context(try coordinator())
        _ = Note(text: "same", context: context)
        _ = Note(text: "same", context: context)
        try context.save()
        #expect(try context.all("Note").count == 2)
    }

    @Test func savingToAReadOnlyStoreIsAPermissionError() throws {
        let store = try TestStore(Note.model())
        let first = try store.open()
        _ = Note(text: "a", context: first)
        try first.save()
        try TestStore.close(first)
        let context = try store.open([NSReadOnlyPersistentStoreOption: true])
        _ = Note(text: "b", context: context)
        let error = try #require(nsError { try context.save() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == NSFileWriteNoPermissionError)
        #expect((error as? CocoaError)?.affectedStores?.count == 1)
        #expect(!"\(error)".contains("(null)") && !error.localizedDescription.hasPrefix("(null)"))
        try TestStore.close(context)
    }
}
