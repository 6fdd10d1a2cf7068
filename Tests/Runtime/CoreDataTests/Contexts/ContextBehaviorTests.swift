import CoreData
import Testing

/// The behavior of contexts and their objects that third-party code expects, from Apple's documentation of each method.
@Suite(.overAllStores) struct ContextBehaviorTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.coordinator()
        context = try Library.context(coordinator)
    }

    private func child() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        return child
    }

    // MARK: Objects

    @Test func objectsWithoutAContextAreNotFaults() throws {
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Book"])
        let book = NSManagedObject(entity: entity, insertInto: nil)
        #expect(!book.isFault && book.managedObjectContext == nil && book.objectID.isTemporaryID)
        #expect(!book.isInserted && !book.hasChanges && !book.isDeleted && !book.isUpdated)
        #expect(book.value(forKey: "title") as? String == "Untitled" && !book.isFault)
        context.insert(book)
        #expect(book.isInserted && book.managedObjectContext === context && !book.isFault)
    }

    @Test func existingObjectThrowsForMissingObjects() throws {
        let author = context.make("Author", ["name": "a"])
        // An unsaved object is registered in its context and unknown in others.
        #expect(try context.existingObject(with: author.objectID) === author)
        let other = try Library.context(coordinator)
        let temporary = author.objectID
        let unsaved = nsError { _ = try other.existingObject(with: temporary) }
        #expect(unsaved?.domain == NSCocoaErrorDomain && unsaved?.code == NSManagedObjectReferentialIntegrityError)
        try context.save()
        let id = author.objectID
        #expect(other.registeredObject(for: id) == nil)
        let copy = try other.existingObject(with: id)
        #expect(!copy.isFault && other.registeredObject(for: id) === copy && other.object(with: id) === copy)
        // An object with an unsaved deletion is still registered.
        other.delete(copy)
        #expect(try other.existingObject(with: id) === copy && copy.isDeleted)
        try other.save()
        let gone = nsError { _ = try other.existingObject(with: id) }
        #expect(gone?.code == NSManagedObjectReferentialIntegrityError)
        // `object(with:)` always returns an object, which is assumed to exist.
        #expect(other.object(with: id).isFault)
    }

    @Test func inaccessibleFaultsBecomeDeletedObjects() throws {
        let author = context.make("Author", ["name": "a", "age": 3])
        let book = context.make("Book", ["title": "t"])
        try context.save()
        let other = try Library.context(coordinator)
        #expect(other.shouldDeleteInaccessibleFaults)
        let copies = [author, book].map { other.object(with: $0.objectID) }
        context.delete(author)
        context.delete(book)
        try context.save()
        #expect(copies[0].value(forKey: "name") == nil && copies[0].value(forKey: "age") == nil)
        #expect(copies[0].isDeleted && copies[0].names("books").isEmpty)
        #expect(copies[1].value(forKey: "title") == nil && copies[1].isDeleted)
        try other.save()
    }

    @Test func inaccessibleFaultsTrapUnlessTheyAreDeleted() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            let author = context.make("Author")
            try context.save()
            let other = try Library.context(context.persistentStoreCoordinator)
            other.shouldDeleteInaccessibleFaults = false
            let copy = other.object(with: author.objectID)
            context.delete(author)
            try context.save()
            _ = copy.value(forKey: "name")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("NSObjectInaccessibleException: CoreData could not fulfill a fault for"))
    }

    // MARK: Changes

    @Test func changedObjectsAreInTheContextsSets() throws {
        let (author, book) = (context.make("Author"), context.make("Book"))
        #expect(context.insertedObjects == [author, book] && context.hasChanges)
        context.delete(book)
        #expect(context.insertedObjects == [author] && context.deletedObjects.isEmpty)
        try context.save()
        #expect(!context.hasChanges && context.insertedObjects.isEmpty && book.managedObjectContext == nil)
        let tag = context.make("Tag")
        author.setValue("b", forKey: "name")
        #expect(context.updatedObjects == [author] && context.insertedObjects == [tag])
        context.delete(author)
        #expect(context.updatedObjects.isEmpty && context.deletedObjects == [author] && author.isDeleted)
        #expect(!author.isUpdated)
        try context.save()
        #expect(!author.isDeleted && author.managedObjectContext == nil && !author.hasChanges)
    }

    /// `hasChanges` is a dirty flag, whereas `hasPersistentChangedValues` compares with the saved values.
    @Test func hasChangesIsADirtyFlag() throws {
        let author = context.make("Author", ["name": "a"])
        try context.save()
        author.setValue("a", forKey: "name")
        #expect(author.hasChanges && author.isUpdated && context.hasChanges)
        #expect(!author.hasPersistentChangedValues && author.changedValues().isEmpty)
        author.setValue("b", forKey: "name")
        #expect(author.hasPersistentChangedValues && author.changedValues()["name"] as? String == "b")
        author.setValue(nil, forKey: "name")
        #expect(author.changedValues()["name"] is NSNull)
        #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "a")
        #expect(Set(author.committedValues(forKeys: nil).keys) == ["age", "books", "name"])
    }

    @Test func valuesOfTheCurrentEventAreClearedAtItsEnd() throws {
        let author = context.make("Author", ["name": "a"])
        try context.save()
        #expect(author.changedValuesForCurrentEvent().isEmpty)
        author.setValue("b", forKey: "name")
        author.setValue("c", forKey: "name")
        #expect(author.changedValuesForCurrentEvent()["name"] as? String == "a")
        context.processPendingChanges()
        #expect(author.changedValuesForCurrentEvent().isEmpty && author.changedValues()["name"] as? String == "c")
        author.setValue("d", forKey: "name")
        #expect(author.changedValuesForCurrentEvent()["name"] as? String == "c")
    }

    @Test(arguments: [true, false]) func deletesArePropagatedWithTheEventOrTheSave(atEndOfEvent: Bool) throws {
        let coordinator = try Library.coordinator(Library.model(booksRule: .cascadeDeleteRule))
        let context = try Library.context(coordinator)
        #expect(context.propagatesDeletesAtEndOfEvent)
        context.propagatesDeletesAtEndOfEvent = atEndOfEvent
        let author = context.make("Author")
        let book = context.make("Book", ["author": author])
        try context.save()
        context.delete(author)
        #expect(!book.isDeleted)
        context.processPendingChanges()
        #expect(book.isDeleted == atEndOfEvent)
        try context.save()
        #expect(try context.all("Book").isEmpty && !context.hasChanges)
    }

    // MARK: Counts

    @Test(arguments: [true, false]) func countsIncludePendingChangesOnRequest(inChild: Bool) throws {
        for index in 0..<4 { _ = context.make("Author", ["age": index]) }
        try context.save()
        let context = inChild ? child() : context
        let authors = try context.all("Author", by: "age")
        context.delete(authors[0])
        authors[1].setValue(10, forKey: "age")
        _ = context.make("Author", ["age": 11])
        _ = context.make("Author", ["age": 0])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "age >= 10")
        #expect(try context.count(for: request) == 2)
        request.includesPendingChanges = false
        #expect(try context.count(for: request) == 0)
        request.predicate = nil
        #expect(try context.count(for: request) == 4)
        request.includesPendingChanges = true
        #expect(try context.count(for: request) == 5)
        request.fetchLimit = 2
        #expect(try context.count(for: request) == 2)
        request.fetchOffset = 4
        #expect(try context.count(for: request) == 1)
    }

    // MARK: Conflicts

    @Test func detectConflictsCoversUnchangedObjects() throws {
        let author = context.make("Author", ["name": "a"])
        try context.save()
        let other = try Library.context(coordinator)
        let copy = other.object(with: author.objectID)
        other.detectConflicts(for: copy)
        _ = other.make("Tag")
        author.setValue("b", forKey: "name")
        try context.save()
        let error = nsError { try other.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(conflict.sourceObject === copy && conflict.objectSnapshot?["name"] as? String == "a")
        #expect(conflict.cachedSnapshot?["name"] as? String == "b" && conflict.persistedSnapshot == nil)
    }

    /// Snapshots contain attributes and to-one relationships as IDs, but no to-many relationships.
    @Test func conflictsHaveSnapshots() throws {
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book", ["title": "t"])
        try context.save()
        let other = try Library.context(coordinator)
        other.object(with: book.objectID).setValue("u", forKey: "title")
        book.setValue(author, forKey: "author")
        try context.save()
        let error = nsError { try other.save() }
        let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(conflict.cachedSnapshot?["author"] as? NSManagedObjectID == author.objectID)
        #expect(conflict.objectSnapshot?["author"] is NSNull && conflict.cachedSnapshot?["price"] is NSNull)
        #expect(conflict.cachedSnapshot?["tags"] == nil && conflict.cachedSnapshot?["cache"] == nil)
    }

    // MARK: Notifications

    @Test func resetsPostTheIDsOfAllObjects() throws {
        let (author, book) = (context.make("Author"), context.make("Book"))
        try context.save()
        let notes = Recorder<Notification>()
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
        ) { notes.values.append($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        let ids: Set = [author.objectID, book.objectID]
        context.reset()
        let key = NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
        #expect((notes.values.last?.userInfo?[key] as? [NSManagedObjectID]).map { Set($0) } == ids)
        #expect(notes.values.count == 1 && notes.values.first?.userInfo?.count == 1)
    }

    @Test func childrenPostTheirSaves() throws {
        let child = child()
        let notes = Recorder<Notification>()
        let tokens = [
            Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            NSManagedObjectContext.didSaveObjectIDsNotification,
        ].map { name in
            NotificationCenter.default.addObserver(forName: name, object: child, queue: nil) { notes.values.append($0) }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        let author = child.make("Author")
        try child.save()
        #expect(
            notes.values.map(\.name) == [
                .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
                NSManagedObjectContext.didSaveObjectIDsNotification,
            ])
        #expect(notes.values[1].userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [author])
        #expect(notes.values[2].userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [author.objectID])
        #expect(context.insertedObjects.count == 1)
    }
}
