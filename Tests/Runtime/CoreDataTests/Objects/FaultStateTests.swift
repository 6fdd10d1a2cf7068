import CoreData
import Testing

/// The fault state of objects, and the values that remain.
@Suite(.overAllStores) struct FaultStateTests {
    @Test func aResetLeavesFaultsWithoutValues() throws {
        let context = try Library.context()
        let saved = context.make("Author", ["name": "saved"])
        try context.save()
        let book = context.make("Book", ["title": "new", "author": saved])
        #expect(!saved.isFault && !book.isFault)
        let fetched = try Library.context(context.persistentStoreCoordinator)
        let copy = try #require(try fetched.all("Author").first)
        context.reset()
        fetched.reset()
        for object in [saved, book, copy] {
            #expect(object.isFault && object.managedObjectContext == nil)
            #expect(!object.hasChanges && !object.isInserted && !object.isDeleted)
            #expect(object.changedValues().isEmpty && !object.hasPersistentChangedValues)
        }
        // The old values are lost; reading them does not trap.
        #expect(saved.value(forKey: "name") == nil && copy.value(forKey: "name") == nil)
        #expect(saved.names("books").isEmpty)
        #expect(book.value(forKey: "title") as? String != "new" && book.value(forKey: "author") == nil)
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
        #expect(try context.all("Author").map { $0.value(forKey: "name") as? String } == ["saved"])
    }

    @Test func aResetCallsTheHooksOfFaults() throws {
        let context = try Library.context()
        let books = (0..<2).compactMap { _ in context.make("Book") as? Book }
        try context.save()
        context.refresh(books[1], mergeChanges: false)
        for book in books { book.calls = [] }
        context.reset()
        #expect(books.map(\.calls) == [["willTurnIntoFault", "didTurnIntoFault"], []])
    }

    @Test func refreshingWithoutMergingTurnsANewObjectIntoAFault() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book", ["title": "t", "pages": 5, "author": author])
        context.processPendingChanges()
        context.refresh(book, mergeChanges: false)
        #expect(book.isFault && book.isInserted && context.insertedObjects.contains(book))
        // Its changes are lost: it has the defaults of the entity and no relationships.
        #expect(author.names("books").isEmpty)
        #expect(book.value(forKey: "title") as? String == "Untitled" && book.value(forKey: "pages") as? Int == 0)
        #expect(book.value(forKey: "author") == nil && !book.isFault)
        try context.save()
        #expect(!book.isInserted && !context.hasChanges)
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(try fresh.all("Book").map { $0.value(forKey: "title") as? String } == ["Untitled"])
    }

    @Test func aMergingRefreshKeepsANewObject() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": "t"])
        context.refresh(book, mergeChanges: true)
        context.refreshAllObjects()
        #expect(!book.isFault && book.value(forKey: "title") as? String == "t")
    }

    @Test func aRefreshedNewObjectIsSavedToTheParent() throws {
        let parent = try Library.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let book = child.make("Book", ["title": "t"])
        child.refresh(book, mergeChanges: false)
        try child.save()
        #expect(try parent.all("Book").map { $0.value(forKey: "title") as? String } == ["Untitled"])
        let inserted = parent.make("Author", ["name": "a"])
        parent.refresh(inserted, mergeChanges: false)
        let copies = try child.all("Author")
        #expect(copies.count == 1 && copies.first?.value(forKey: "name") == nil)
        #expect(try child.existingObject(with: inserted.objectID) === copies.first)
        #expect(try parent.existingObject(with: inserted.objectID) === inserted)
    }

    @Test func undoAfterRefreshingANewObjectKeepsInversesConsistent() throws {
        let context = try Library.context()
        context.undoManager = UndoManager()
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book", ["title": "t", "author": author])
        context.processPendingChanges()
        context.refresh(book, mergeChanges: false)
        context.processPendingChanges()
        context.undo()
        #expect((book.value(forKey: "author") == nil) == author.names("books").isEmpty)
    }

    @Test func retainedObjectsStayRegistered() throws {
        let context = try Library.context()
        func make() throws {
            _ = context.make("Author", ["name": "a"])
            try context.save()
        }
        try make()
        #expect(context.registeredObjects.isEmpty)
        context.retainsRegisteredObjects = true
        try make()
        #expect(context.registeredObjects.count == 1)
        func fetch() throws { #expect(try context.all("Author").count == 2) }
        try fetch()
        #expect(context.registeredObjects.count == 2)
        context.delete(try #require(context.registeredObjects.first))
        try context.save()
        #expect(context.registeredObjects.count == 1)
        context.retainsRegisteredObjects = false
        #expect(context.registeredObjects.isEmpty)
        // Setting it retains the objects that are already registered.
        var object: NSManagedObject? = try context.all("Author").first
        #expect(object != nil)
        context.retainsRegisteredObjects = true
        object = nil
        #expect(context.registeredObjects.count == 1)
    }
}
