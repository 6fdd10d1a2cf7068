import CoreData
import Testing

/// Relationships to deleted objects.
@Suite(.overAllStores) struct LostObjectTests {
    @Test func relatingToAnObjectWhoseDeletionWasSavedTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            let (author, book) = (context.make("Author"), context.make("Book"))
            try context.save()
            context.delete(author)
            try context.save()
            book.setValue(author, forKey: "author")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("NSInvalidArgumentException: Illegal attempt to establish a relationship “author” from Book"))
        #expect(text.contains("was saved") && text.contains("Check managedObjectContext"))
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let (tag, book) = (context.make("Tag"), context.make("Book"))
            try context.save()
            context.delete(tag)
            try context.save()
            book.mutableSetValue(forKey: "tags").add(tag)
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let (shelf, book) = (context.make("Shelf"), context.make("Book"))
            try context.save()
            context.delete(book)
            try context.save()
            shelf.mutableOrderedSetValue(forKey: "volumes").insert(book, at: 0)
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let author = context.make("Author")
            try context.save()
            context.reset()
            context.make("Book").setValue(author, forKey: "author")
        }
    }

    /// A relationship can be set to an object with an unsaved deletion; the save fails.
    @Test(arguments: ["author", "tags", "shelf", "prequel"])
    func validationCatchesRelationshipsToDeletedObjects(key: String) throws {
        let context = try Library.context()
        let relationship = try #require(context.make("Book").entity.relationshipsByName[key])
        let book = context.make("Book", ["title": "t"])
        let other = context.make(relationship.destinationEntity?.name ?? "")
        try context.save()
        context.delete(other)
        context.processPendingChanges()
        book.setValue(relationship.isToMany ? NSSet(object: other) : other, forKey: key)
        let error = nsError { try context.save() }
        #expect(error?.code == NSManagedObjectValidationError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === book)
        #expect(error?.localizedDescription.contains("dangling reference to an invalid object") == true)
        book.setValue(nil, forKey: key)
        try context.save()
        #expect(!context.hasChanges)
    }

    /// The context learns of the deletion by a merge, perhaps just before the object is used, so this does not trap.
    @Test func validationCatchesRelationshipsToObjectsDeletedElsewhere() throws {
        let context = try Library.context()
        let other = try Library.context(context.persistentStoreCoordinator)
        let (author, book) = (context.make("Author"), context.make("Book"))
        try context.save()
        other.delete(other.object(with: author.objectID))
        let note = try #require(try other.notes { try other.save() }.first)
        context.mergeChanges(fromContextDidSave: note)
        book.setValue(author, forKey: "author")
        #expect(nsError { try context.save() }?.code == NSManagedObjectValidationError)
        context.rollback()
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(try fresh.all("Book").map { $0.value(forKey: "author") == nil } == [true])
    }

    /// An object that was read before its row existed is the same object when another one refers to the row.
    @Test(arguments: ["refresh", "prefetch", "child"])
    func aRelationshipRevivesItsDestination(way: String) throws {
        let view = try Library.context()
        let book = view.make("Book")
        try view.save()
        let other = try Library.context(view.persistentStoreCoordinator)
        let author = other.make("Author", ["name": "a"])
        try other.obtainPermanentIDs(for: [author])
        let reader = way == "child" ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : view
        if reader !== view { reader.parent = view }
        let early = reader.object(with: author.objectID)
        #expect(early.value(forKey: "name") == nil && early.isDeleted)
        other.object(with: book.objectID).setValue(author, forKey: "author")
        try other.save()

        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        if way == "prefetch" {
            request.relationshipKeyPathsForPrefetching = ["author"]
            request.shouldRefreshRefetchedObjects = true
        } else {
            view.refresh(book, mergeChanges: true)
        }
        let found = try #require(try reader.fetch(request).first)
        #expect(found.value(forKey: "author") as? NSManagedObject === early)
        #expect(!early.isDeleted && early.value(forKey: "name") as? String == "a")
        found.setValue("t", forKey: "title")
        try reader.save()
    }
}
