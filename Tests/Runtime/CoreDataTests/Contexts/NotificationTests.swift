import CoreData
import Testing

/// Notifications: names, keys, value types and order.
@Suite(.overAllStores) struct NotificationTests {
    private final class Watch {
        let notes = Recorder<Notification>()
        private var tokens: [any NSObjectProtocol] = []

        init(_ context: NSManagedObjectContext, _ names: Notification.Name...) {
            for name in names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [notes] in
                        notes.values.append($0)
                    })
            }
        }

        deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }

        func taken() -> [Notification] {
            defer { notes.values = [] }
            return notes.values
        }
    }

    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.coordinator()
        context = try Library.context(coordinator)
    }

    private func objects(_ note: Notification?, _ key: String) -> Set<NSManagedObject> {
        note?.userInfo?[key] as? Set<NSManagedObject> ?? []
    }

    private func ids(_ note: Notification?, _ key: String) -> Set<NSManagedObjectID> {
        note?.userInfo?[key] as? Set<NSManagedObjectID> ?? []
    }

    @Test func oldAndNewNamesAreEqual() {
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange
                == NSManagedObjectContext.didChangeObjectsNotification)
        #expect(Notification.Name.NSManagedObjectContextWillSave == NSManagedObjectContext.willSaveObjectsNotification)
        #expect(Notification.Name.NSManagedObjectContextDidSave == NSManagedObjectContext.didSaveObjectsNotification)
        #expect(NSManagedObjectContext.NotificationKey.insertedObjects.rawValue == NSInsertedObjectsKey)
        #expect(NSManagedObjectContext.NotificationKey.updatedObjects.rawValue == NSUpdatedObjectsKey)
        #expect(NSManagedObjectContext.NotificationKey.deletedObjects.rawValue == NSDeletedObjectsKey)
        #expect(NSManagedObjectContext.NotificationKey.refreshedObjects.rawValue == NSRefreshedObjectsKey)
        #expect(NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue == NSInvalidatedAllObjectsKey)
        #expect(
            NSInsertedObjectsKey == "inserted" && NSUpdatedObjectsKey == "updated" && NSDeletedObjectsKey == "deleted")
        #expect(NSRefreshedObjectsKey == "refreshed" && NSInvalidatedObjectsKey == "invalidated")
        #expect(NSInvalidatedAllObjectsKey == "invalidatedAll")
    }

    @Test func changesArePosted() throws {
        let watch = Watch(context, .NSManagedObjectContextObjectsDidChange)
        let (author, book) = (context.make("Author", ["name": "a"]), context.make("Book"))
        #expect(watch.taken().isEmpty)
        context.processPendingChanges()
        var notes = watch.taken()
        #expect(notes.count == 1 && notes.first?.object as? NSManagedObjectContext === context)
        #expect(objects(notes.first, NSInsertedObjectsKey) == [author, book])
        #expect(
            notes.first?.userInfo?[NSUpdatedObjectsKey] == nil && notes.first?.userInfo?[NSDeletedObjectsKey] == nil)
        context.processPendingChanges()
        #expect(watch.taken().isEmpty)
        // New objects that change in a later event are updated ones of that event; both sides of a relationship change.
        book.setValue(author, forKey: "author")
        context.processPendingChanges()
        notes = watch.taken()
        #expect(objects(notes.first, NSUpdatedObjectsKey) == [author, book] && notes.count == 1)
        #expect(notes.first?.userInfo?[NSInsertedObjectsKey] == nil)
        try context.save()
        #expect(watch.taken().isEmpty)
        context.delete(author)
        context.processPendingChanges()
        notes = watch.taken()
        #expect(objects(notes.first, NSDeletedObjectsKey) == [author])
        #expect(objects(notes.first, NSUpdatedObjectsKey) == [book])
    }

    @Test func refreshAndResetArePosted() throws {
        let author = context.make("Author")
        try context.save()
        let watch = Watch(context, .NSManagedObjectContextObjectsDidChange)
        context.refresh(author, mergeChanges: false)
        context.processPendingChanges()
        #expect(objects(watch.taken().first, NSRefreshedObjectsKey) == [author])
        let id = author.objectID
        context.reset()
        // An array of IDs (Documentation/Formats/RuntimeBehavior.md, 4.6).
        #expect(watch.taken().last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
    }

    @Test func savesArePosted() throws {
        let (old, gone) = (context.make("Author"), context.make("Author"))
        try context.save()
        let watch = Watch(
            context, .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextObjectsDidChange, NSManagedObjectContext.didSaveObjectIDsNotification)
        old.setValue("n", forKey: "name")
        context.delete(gone)
        let new = context.make("Book")
        let goneID = gone.objectID
        try context.save()
        let notes = watch.taken()
        #expect(
            notes.prefix(3).map(\.name) == [
                .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
                .NSManagedObjectContextDidSave,
            ])
        let saved = notes.first { $0.name == .NSManagedObjectContextDidSave }
        #expect(objects(saved, NSInsertedObjectsKey) == [new] && objects(saved, NSUpdatedObjectsKey) == [old])
        #expect(objects(saved, NSDeletedObjectsKey) == [gone])
        let savedIDs = notes.first { $0.name == NSManagedObjectContext.didSaveObjectIDsNotification }
        #expect(ids(savedIDs, "inserted_objectIDs") == [new.objectID] && !new.objectID.isTemporaryID)
        #expect(ids(savedIDs, "updated_objectIDs") == [old.objectID])
        #expect(ids(savedIDs, "deleted_objectIDs") == [goneID])
        #expect(NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue == "inserted_objectIDs")
        // Without changes, the sets are empty.
        try context.save()
        let unchanged = watch.taken().first { $0.name == .NSManagedObjectContextDidSave }
        #expect(unchanged != nil && objects(unchanged, NSInsertedObjectsKey).isEmpty)
    }

    /// Hooks of objects are called before observers, both before and after a save
    /// (Documentation/Formats/RuntimeBehavior.md, 4.1).
    @Test func hooksPrecedeNotifications() throws {
        let book = try #require(context.make("Book") as? Book)
        book.calls = []
        var tokens: [any NSObjectProtocol] = []
        for (name, text) in [
            (Notification.Name.NSManagedObjectContextWillSave, "WillSave"), (.NSManagedObjectContextDidSave, "DidSave"),
        ] {
            let box = UncheckedBox(book)
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
                    box.value.calls.append(text)
                })
        }
        try context.save()
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
        #expect(book.calls == ["willSave", "WillSave", "didSave", "DidSave"])
    }

    /// Changes made by observers of the imminent save are saved, too.
    @Test func changesMadeByObserversAreSaved() throws {
        let author = context.make("Author")
        let box = UncheckedBox(author)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in box.value.setValue("observer", forKey: "name") }
        try context.save()
        NotificationCenter.default.removeObserver(token)
        #expect(!context.hasChanges)
        let fresh = try Library.context(coordinator)
        #expect(fresh.object(with: author.objectID).value(forKey: "name") as? String == "observer")
    }

    @Test func mergesArePosted() throws {
        let other = try Library.context(coordinator)
        let (kept, gone) = (context.make("Author", ["name": "a"]), context.make("Author"))
        try context.save()
        let copies = [kept, gone].map { other.object(with: $0.objectID) }
        for copy in copies { _ = copy.value(forKey: "name") }
        let saved = Watch(context, .NSManagedObjectContextDidSave)
        kept.setValue("b", forKey: "name")
        context.delete(gone)
        let new = context.make("Author")
        try context.save()
        let watch = Watch(
            other, .NSManagedObjectContextObjectsDidChange, NSManagedObjectContext.didMergeChangesObjectIDsNotification)
        other.mergeChanges(fromContextDidSave: try #require(saved.taken().first))
        let notes = watch.taken()
        let change = notes.first { $0.name == .NSManagedObjectContextObjectsDidChange }
        #expect(objects(change, NSInsertedObjectsKey).map(\.objectID) == [new.objectID])
        #expect(objects(change, NSDeletedObjectsKey) == [copies[1]])
        #expect(objects(change, NSRefreshedObjectsKey).union(objects(change, NSUpdatedObjectsKey)).contains(copies[0]))
        let merged = notes.first { $0.name == NSManagedObjectContext.didMergeChangesObjectIDsNotification }
        #expect(ids(merged, "inserted_objectIDs") == [new.objectID])
        #expect(ids(merged, "deleted_objectIDs") == [gone.objectID])
        #expect(copies[0].value(forKey: "name") as? String == "b" && !other.hasChanges)
    }

    /// Changes given as arrays of IDs or URIs, as by batch requests and other processes
    /// (Documentation/Formats/RuntimeBehavior.md, 4.6).
    @Test func remoteChangesAreMerged() throws {
        let other = try Library.context(coordinator)
        let (one, two) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
        try context.save()
        let copies = [one, two].map { other.object(with: $0.objectID) }
        for copy in copies { _ = copy.value(forKey: "name") }
        one.setValue("c", forKey: "name")
        context.delete(two)
        try context.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: [one.objectID], NSDeletedObjectsKey: [copies[1].objectID.uriRepresentation()],
            ], into: [other])
        #expect(copies[0].value(forKey: "name") as? String == "c" && copies[1].isDeleted)
    }

    @Test func addingAndRemovingStoresIsPosted() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let notes = Recorder<Notification>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { notes.values.append($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(notes.values.last?.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
        try coordinator.remove(store)
        #expect(notes.values.last?.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
        #expect(notes.values.count == 2)
    }

    /// On the main queue, a refresh is announced at the end of the turn, as a change is.
    @MainActor @Test func refreshesOnTheMainQueueArePosted() async throws {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let author = context.make("Author", ["name": "a"])
        try context.save()
        let watch = Watch(context, .NSManagedObjectContextObjectsDidChange)
        context.refreshAllObjects()
        for _ in 0..<6000 where watch.notes.values.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(objects(watch.taken().first, NSRefreshedObjectsKey) == [author])
    }
}
