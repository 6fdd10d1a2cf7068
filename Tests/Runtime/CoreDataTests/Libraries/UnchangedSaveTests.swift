import CoreData
import Testing

/// Saves without changes.
@Suite(.overAllStores) struct UnchangedSaveTests {
    private static let names = [
        Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
        .NSManagedObjectContextDidSaveObjectIDs,
    ]

    private func expectNotifications(of context: NSManagedObjectContext) throws {
        var notes: [Notification] = []
        for name in Self.names { notes += try context.notes(name) { try context.save() } }
        #expect(notes.map(\.name) == Self.names)
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
            #expect((notes[1].userInfo?[key] as? Set<NSManagedObject>)?.isEmpty == true, "\(key)")
            #expect((notes[2].userInfo?["\(key)_objectIDs"] as? Set<NSManagedObjectID>)?.isEmpty == true, "\(key)")
        }
    }

    @Test func unchangedSavesPostEmptySets() throws {
        let context = try Library.context()
        try expectNotifications(of: context)
        let book = context.make("Book")
        try context.save()
        try expectNotifications(of: context)
        #expect(book.value(forKey: "title") as? String == "Untitled" && !context.hasChanges)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try expectNotifications(of: child)
    }

    @Test func changesByWillSaveObserversAreSaved() throws {
        let context = try Library.context()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { note in _ = (note.object as? NSManagedObjectContext)?.make("Tag", ["name": "t"]) }
        defer { NotificationCenter.default.removeObserver(token) }
        let notes = try context.notes { try context.save() }
        #expect((notes.first?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
        #expect(!context.hasChanges)
        #expect(try context.persistentStoreCoordinator.map { try Library.context($0).all("Tag").count } == 1)
    }

    /// Other contexts have nothing to merge.
    @Test func unchangedSavesAreNotMerged() throws {
        let context = try Library.context()
        let other = try Library.context(context.persistentStoreCoordinator)
        other.automaticallyMergesChangesFromParent = true
        func merges(_ body: () throws -> Void) throws -> Int {
            try other.notes(.NSManagedObjectContextDidMergeChangesObjectIDs) {
                try body()
                other.performAndWait {}
            }.count
        }
        #expect(try merges { try context.save() } == 0)
        #expect(
            try merges {
                _ = context.make("Book")
                try context.save()
            } == 1)
    }

    @Test func contextsWithoutStoresCanSave() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.save()
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try expectNotifications(of: context)
    }

    @Test func unchangedSavesForgetInsertedAndDeletedObjects() throws {
        let context = try Library.context()
        context.undoManager = UndoManager()
        let book = context.make("Book")
        context.processPendingChanges()
        context.delete(book)
        try expectNotifications(of: context)
        #expect(book.managedObjectContext == nil)
    }
}
