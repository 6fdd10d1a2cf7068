import CoreData
import Testing

/// `changedValuesForCurrentEvent()` of deleted objects, from which libraries learn what an object was related to.
@Suite(.overAllStores) struct CurrentEventTests {
    /// The changes of an object, as an observer of the context's notification sees them.
    private func seen(
        _ object: NSManagedObject, _ context: NSManagedObjectContext, during body: () -> Void
    ) -> [String: Any] {
        let seen = Recorder<[String: Any]>()
        let id = object.objectID
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { note in
            let object = (note.object as? NSManagedObjectContext)?.registeredObject(for: id)
            seen.values.append(object?.changedValuesForCurrentEvent() ?? ["error": "not registered"])
        }
        defer { NotificationCenter.default.removeObserver(token) }
        body()
        context.processPendingChanges()
        return seen.values.first ?? [:]
    }

    @Test(arguments: [false, true]) func deletedObjectsHaveTheRelationshipsThatTheyLeave(isFault: Bool) throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "A"])
        let tag = context.make("Tag", ["name": "t"])
        let book = context.make("Book", ["title": "a", "author": author, "tags": NSSet(object: tag)])
        try context.save()
        if isFault { context.refreshAllObjects() }
        let ofBook = seen(book, context) { context.delete(book) }
        #expect(ofBook["author"] as? NSManagedObject === author && Set(ofBook.keys) == ["author", "tags"])
        #expect(ofBook["tags"] as? NSSet == NSSet(object: tag))
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        context.rollback()
        let ofAuthor = seen(author, context) { context.delete(author) }
        #expect(ofAuthor["books"] as? NSSet == NSSet(object: book) && ofAuthor.count == 1)
        try context.save()
        #expect(author.changedValuesForCurrentEvent().isEmpty)
    }

    @Test func valuesThatChangedBeforeTheDeletionAreReported() throws {
        let context = try Library.context()
        let (one, other) = (context.make("Author", ["name": "A"]), context.make("Author", ["name": "B"]))
        let book = context.make("Book", ["title": "a", "author": one])
        try context.save()
        let values = seen(book, context) {
            book.setValue("b", forKey: "title")
            book.setValue(other, forKey: "author")
            context.delete(book)
        }
        #expect(values["title"] as? String == "a" && values["author"] as? NSManagedObject === one)
        #expect(values.count == 2)
    }

    @Test func objectsWithoutRelationshipsHaveNoChanges() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": "a"])
        try context.save()
        #expect(seen(book, context) { context.delete(book) }.isEmpty)
    }
}
