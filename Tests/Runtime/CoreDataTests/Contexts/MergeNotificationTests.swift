import CoreData
import Testing

/// Notifications about merged changes and saves.
@Suite(.overAllStores) struct MergeNotificationTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        coordinator = try Library.coordinator()
        context = try Library.context(coordinator)
        other = try Library.context(coordinator)
    }

    private struct World {
        var updated: NSManagedObject
        var deleted: NSManagedObject
        var untouched: NSManagedObject
        /// The notification of saving an insertion, a change and a deletion.
        var save: Notification
        var inserted: NSManagedObject
    }

    /// - Parameter loads: Whether the other context has loaded the values of its objects.
    private func world(loads: Bool) throws -> World {
        let authors = ["updated", "deleted", "untouched"].map { context.make("Author", ["name": $0]) }
        try context.save()
        // On its queue, where the context may be merging the save.
        let copies = other.performAndWait {
            let copies = authors.map { other.object(with: $0.objectID) }
            if loads { for copy in copies { _ = copy.value(forKey: "name") } }
            return copies
        }
        authors[0].setValue("changed", forKey: "name")
        context.delete(authors[1])
        let inserted = context.make("Author", ["name": "inserted"])
        let saves = try context.notes(.NSManagedObjectContextDidSave) { try context.save() }
        return World(
            updated: copies[0], deleted: copies[1], untouched: copies[2], save: try #require(saves.first),
            inserted: inserted)
    }

    /// Checks that each object has one key: merged insertions are inserted, changes are refreshed, and deletions are
    /// deleted objects (documentation of `mergeChanges(fromContextDidSave:)` and of the keys).
    private func check(_ note: Notification?, _ world: World) throws {
        let userInfo = try #require(note?.userInfo as? [String: Any])
        let inserted = try #require(userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject>)
        #expect(inserted.map(\.objectID) == [world.inserted.objectID])
        #expect(inserted.allSatisfy { $0.managedObjectContext === other })
        #expect(userInfo[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [world.updated])
        #expect(userInfo[NSDeletedObjectsKey] as? Set<NSManagedObject> == [world.deleted])
        #expect(userInfo[NSUpdatedObjectsKey] == nil)
        #expect(world.updated.value(forKey: "name") as? String == "changed")
        #expect(!other.hasChanges)
    }

    @Test(arguments: [true, false]) func eachMergedObjectHasOneKey(loads: Bool) throws {
        let world = try world(loads: loads)
        let changes = other.notes(.NSManagedObjectContextObjectsDidChange) {
            other.mergeChanges(fromContextDidSave: world.save)
        }
        #expect(changes.count == 1)
        try check(changes.first, world)
    }

    @Test(arguments: [true, false]) func eachRemotelyMergedObjectHasOneKey(loads: Bool) throws {
        let world = try world(loads: loads)
        let changes = other.notes(.NSManagedObjectContextObjectsDidChange) {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    NSInsertedObjectIDsKey: [world.inserted.objectID],
                    NSUpdatedObjectIDsKey: [world.updated.objectID.uriRepresentation()],
                    NSDeletedObjectIDsKey: [world.deleted.objectID],
                ], into: [other])
        }
        #expect(changes.count == 1)
        try check(changes.first, world)
    }

    @Test(arguments: [true, false]) func eachAutomaticallyMergedObjectHasOneKey(loads: Bool) throws {
        other.automaticallyMergesChangesFromParent = true
        let worlds = Recorder<World>()
        var changes: [Notification] = []
        changes = try other.notes(.NSManagedObjectContextObjectsDidChange) {
            worlds.values.append(try world(loads: loads))
            // Wait for the merge of the save, which is enqueued on the context's queue.
            other.performAndWait {}
        }
        // The first save only inserts.
        try check(changes.last, try #require(worlds.values.first))
    }

    /// Objects with unsaved changes are refreshed and keep those changes.
    @Test func mergedObjectsKeepTheirChanges() throws {
        let world = try world(loads: true)
        world.updated.setValue(7, forKey: "age")
        let changes = other.notes(.NSManagedObjectContextObjectsDidChange) {
            other.mergeChanges(fromContextDidSave: world.save)
        }
        // Local changes are posted first, separately.
        #expect(changes.first?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [world.updated])
        #expect(changes.last?.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [world.updated])
        #expect(changes.last?.userInfo?[NSUpdatedObjectsKey] == nil && changes.count == 2)
        #expect(world.updated.value(forKey: "age") as? Int == 7)
        #expect(world.updated.value(forKey: "name") as? String == "changed")
        #expect(world.updated.changedValues().keys.sorted() == ["age"])
    }

    @Test func mergesPostTheMergedIDs() throws {
        let world = try world(loads: true)
        let merges = other.notes(NSManagedObjectContext.didMergeChangesObjectIDsNotification) {
            other.mergeChanges(fromContextDidSave: world.save)
        }
        let userInfo = merges.first?.userInfo
        #expect(userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [world.inserted.objectID])
        #expect(userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [world.updated.objectID])
        #expect(userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [world.deleted.objectID])
    }

    /// A save's notification has all three sets, including empty ones.
    @Test func savesPostEmptySets() throws {
        let saves = try context.notes(.NSManagedObjectContextDidSave) {
            _ = context.make("Author")
            try context.save()
        }
        let userInfo = saves.first?.userInfo
        #expect((userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
        #expect((userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>)?.isEmpty == true)
        #expect((userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.isEmpty == true)
        // Without history, there is no token.
        #expect(userInfo?["newChangeToken"] == nil)
    }

    @Test func willSaveHasNoUserInfo() throws {
        let notes = try context.notes(.NSManagedObjectContextWillSave) {
            _ = context.make("Author")
            try context.save()
            try context.save()
        }
        #expect(notes.count == 2 && notes.allSatisfy { $0.userInfo == nil })
    }

    /// A rollback removes inserted objects and refreshes changed and deleted ones.
    @Test func rollbacksPostTheirChanges() throws {
        let (changed, deleted) = (context.make("Author"), context.make("Author"))
        try context.save()
        changed.setValue("b", forKey: "name")
        context.delete(deleted)
        let inserted = context.make("Author")
        context.processPendingChanges()
        let changes = context.notes(.NSManagedObjectContextObjectsDidChange) { context.rollback() }
        #expect(changes.count == 1)
        #expect(changes.first?.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [inserted])
        #expect(changes.first?.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [changed, deleted])
    }
}

/// The history token in the notification of a save.
@Suite struct ChangeTokenTests {
    @Test func savesCarryTheNewHistoryToken() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        let notes = Recorder<Notification>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { notes.values.append($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        let author = context.make("Author", ["name": "a"])
        try context.save()
        let first = try #require(notes.values.last?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(try context.history(after: first).isEmpty && context.history().last?.token == first)
        author.setValue("b", forKey: "name")
        try context.save()
        let second = try #require(notes.values.last?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(try second != first && context.history(after: first).map(\.token) == [second])
        #expect(context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) == second)
        // A save to the parent writes no history.
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let childNotes = try child.notes {
            _ = child.make("Author")
            try child.save()
        }
        #expect(childNotes.count == 1 && childNotes.first?.userInfo?["newChangeToken"] == nil)
    }
}
