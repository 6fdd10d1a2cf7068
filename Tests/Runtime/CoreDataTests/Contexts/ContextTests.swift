import CoreData
import Testing

/// Contexts: insert, save, fetch, delete, refresh, rollback, reset.
@Suite(.overAllStores) struct ContextTests {
    @Test func insertedObjectsAreSavedAndFetched() throws {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let book = context.make("Book", ["title": "Emma", "pages": 300])
        #expect(book.isInserted && !book.isUpdated && book.hasChanges && !book.isFault)
        #expect(book.objectID.isTemporaryID)
        #expect(context.insertedObjects == [book] && context.hasChanges)
        try context.save()
        #expect(!context.hasChanges && !book.hasChanges && !book.objectID.isTemporaryID)

        let other = try Library.context(coordinator)
        let found = try #require(try other.all("Book").first)
        #expect(found.objectID == book.objectID && found !== book)
        #expect(found.isFault)
        #expect(found.value(forKey: "title") as? String == "Emma")
        #expect(found.value(forKey: "pages") as? Int == 300)
        #expect(!found.isFault)
        // A context has one object for an ID.
        #expect(try other.all("Book").first === found)
        #expect(other.object(with: book.objectID) === found)
    }

    @Test func pendingChangesAreFetched() throws {
        let context = try Library.context()
        let saved = context.make("Author", ["name": "B"])
        try context.save()
        context.delete(saved)
        let new = context.make("Author", ["name": "A"])
        #expect(try context.all("Author") == [new])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.includesPendingChanges = false
        #expect(try context.fetch(request) == [saved])
        #expect(try context.count(for: request) == 1)
    }

    @Test func sortLimitAndOffsetApply() throws {
        let context = try Library.context()
        for number in [3, 1, 2, 5, 4] { _ = context.make("Author", ["age": number, "name": "n\(number % 2)"]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: false), NSSortDescriptor(key: "age", ascending: true),
        ]
        request.fetchOffset = 1
        request.fetchLimit = 3
        #expect(try context.fetch(request).map { $0.value(forKey: "age") as? Int } == [3, 5, 2])
        request.predicate = NSPredicate(format: "age > %d", 2)
        #expect(try context.fetch(request).map { $0.value(forKey: "age") as? Int } == [5, 4])
    }

    @Test func subentitiesAreIncludedUnlessDisabled() throws {
        let context = try Library.context()
        _ = context.make("Book")
        _ = context.make("Novel", ["genre": "crime"])
        #expect(try context.all("Book").count == 2)
        #expect(try context.all("Novel").count == 1)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.includesSubentities = false
        #expect(try context.count(for: request) == 1)
    }

    @Test func deletedObjectsAreGoneAfterSaving() throws {
        let context = try Library.context()
        let author = context.make("Author")
        try context.save()
        context.delete(author)
        #expect(author.isDeleted && context.deletedObjects == [author])
        try context.save()
        #expect(!author.isDeleted && author.managedObjectContext == nil)
        #expect(try context.all("Author").isEmpty)
        // A new object that is deleted vanishes.
        let new = context.make("Author")
        context.delete(new)
        context.processPendingChanges()
        #expect(!context.hasChanges)
    }

    @Test func rollbackDiscardsAllChanges() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "old"])
        let book = context.make("Book", ["author": author])
        try context.save()
        author.setValue("new", forKey: "name")
        context.delete(book)
        let other = context.make("Book", ["author": author])
        context.processPendingChanges()
        context.rollback()
        #expect(!context.hasChanges)
        #expect(author.value(forKey: "name") as? String == "old")
        #expect(!book.isDeleted && book.value(forKey: "author") as? NSManagedObject === author)
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
        #expect(other.managedObjectContext == nil)
    }

    @Test func resetForgetsObjects() throws {
        let context = try Library.context()
        let author = context.make("Author")
        try context.save()
        context.reset()
        #expect(author.managedObjectContext == nil)
        #expect(context.registeredObjects.isEmpty)
        #expect(try context.all("Author").count == 1)
    }

    @Test func refreshMergesOrDiscardsChanges() throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        let author = one.make("Author", ["name": "a", "age": 1])
        try one.save()
        let same = try #require(try other.all("Author").first)
        same.setValue("b", forKey: "name")
        try other.save()
        #expect(author.value(forKey: "name") as? String == "a")
        author.setValue(2, forKey: "age")
        one.refresh(author, mergeChanges: true)
        #expect(author.value(forKey: "name") as? String == "b" && author.value(forKey: "age") as? Int == 2)
        #expect(author.hasChanges)
        one.refresh(author, mergeChanges: false)
        #expect(author.isFault && !author.hasChanges)
        #expect(author.value(forKey: "age") as? Int == 1)
        try one.save()
    }

    @Test func existingObjectLoadsOrThrows() throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        let author = one.make("Author")
        try one.save()
        let id = author.objectID
        #expect(try other.existingObject(with: id).isFault == false)
        one.delete(author)
        try one.save()
        let third = try Library.context(coordinator)
        #expect(third.object(with: id).isFault)
        #expect {
            try third.existingObject(with: id)
        } throws: { ($0 as NSError).code == NSManagedObjectReferentialIntegrityError }
    }

    @Test func faultsOfMissingObjectsBecomeDeletedObjects() throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        let author = one.make("Author", ["name": "a"])
        try one.save()
        let fault = other.object(with: author.objectID)
        one.delete(author)
        try one.save()
        // shouldDeleteInaccessibleFaults is true.
        #expect(fault.value(forKey: "name") == nil)
        #expect(fault.isDeleted)
    }

    @Test func permanentIDsCanBeObtainedBeforeSaving() throws {
        let context = try Library.context()
        let author = context.make("Author")
        try context.obtainPermanentIDs(for: [author])
        #expect(!author.objectID.isTemporaryID && author.isInserted)
        let id = author.objectID
        try context.save()
        #expect(author.objectID === id)
        let uri = id.uriRepresentation()
        #expect(uri.scheme == "x-coredata" && uri.path == "/Author/p\(uri.lastPathComponent.dropFirst())")
        #expect(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) == id)
    }

    @Test func failedSaveChangesNothing() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": nil])
        let author = context.make("Author")
        #expect {
            try context.save()
        } throws: { ($0 as NSError).code == NSValidationMissingMandatoryPropertyError }
        #expect(book.isInserted && author.isInserted && book.objectID.isTemporaryID)
        #expect(try context.persistentStoreCoordinator.map { try Library.context($0).all("Author").count } == 0)
        book.setValue("t", forKey: "title")
        try context.save()
        #expect(try context.all("Book") == [book])
    }

    @Test func changedValuesOmitTransientProperties() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": "a"])
        try context.save()
        #expect(book.changedValues().isEmpty && !book.hasPersistentChangedValues)
        book.setValue("b", forKey: "title")
        book.setValue("c", forKey: "cache")
        #expect(book.changedValues().keys.sorted() == ["title"])
        #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "a")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "a")
        book.setValue("a", forKey: "title")
        #expect(book.hasChanges && !book.hasPersistentChangedValues)
    }

    @Test func valuesOfTheCurrentEventNeedNoUndoManager() throws {
        let context = try Library.context()
        let (author, book) = (context.make("Author", ["name": "x"]), context.make("Book", ["title": "a"]))
        try context.save()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        book.setValue("c", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "b")
        context.processPendingChanges()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue(author, forKey: "author")
        #expect(author.changedValuesForCurrentEvent()["books"] as? NSSet == NSSet())
        context.processPendingChanges()
        context.make("Book").setValue(author, forKey: "author")
        #expect(author.changedValuesForCurrentEvent()["books"] as? NSSet == NSSet(object: book))
    }

    @Test func savesOfAnotherContextAreMerged() throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        let author = one.make("Author", ["name": "a"])
        let gone = one.make("Author", ["name": "gone"])
        try one.save()
        let same = other.object(with: author.objectID)
        let dead = other.object(with: gone.objectID)
        #expect(same.value(forKey: "name") as? String == "a" && dead.value(forKey: "name") as? String == "gone")
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: one, queue: nil
        ) { other.mergeChanges(fromContextDidSave: $0) }
        let inserted = Recorder<NSManagedObjectID>()
        let second = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: other, queue: nil
        ) { notification in
            let objects = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            inserted.values += objects.map(\.objectID)
        }
        author.setValue("b", forKey: "name")
        one.delete(gone)
        let new = one.make("Author", ["name": "new"])
        try one.save()
        NotificationCenter.default.removeObserver(token)
        NotificationCenter.default.removeObserver(second)
        #expect(same.value(forKey: "name") as? String == "b" && !same.hasChanges)
        #expect(dead.isDeleted)
        #expect(inserted.values == [new.objectID])
        #expect(!other.hasChanges)
    }
}
