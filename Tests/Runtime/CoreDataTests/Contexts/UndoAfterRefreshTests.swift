import CoreData
import Testing

/// Undo of changes to objects that have become faults, or that other contexts have changed since.
@Suite(.overAllStores) struct UndoAfterRefreshTests {
    /// A context with two authors and a book by the first, all saved, whose later changes are registered with an undo
    /// manager.
    private struct World {
        let context: NSManagedObjectContext
        let authors: [NSManagedObject]
        let book: NSManagedObject
        let tag: NSManagedObject

        init() throws {
            context = try Library.context()
            authors = ["a", "b"].map { [context] in context.make("Author", ["name": $0, "age": 1]) }
            book = context.make("Book", ["title": "old", "author": authors[0]])
            tag = context.make("Tag", ["name": "x"])
            try context.save()
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
        }

        func group(_ body: () -> Void) {
            context.undoManager?.beginUndoGrouping()
            body()
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }

        /// Turns all objects into faults.
        func refresh() {
            for object in context.registeredObjects { context.refresh(object, mergeChanges: false) }
        }

        /// Returns a value as read by another context.
        func saved(_ object: NSManagedObject, _ key: String) throws -> Any? {
            let fresh = try Library.context(context.persistentStoreCoordinator)
            let value = try fresh.existingObject(with: object.objectID).value(forKey: key)
            return (value as? NSManagedObject)?.value(forKey: "name") ?? value
        }
    }

    @Test func undoingAChangeOfAFaultIsAChange() throws {
        let world = try World()
        let (context, book) = (world.context, world.book)
        world.group { book.setValue("new", forKey: "title") }
        try context.save()
        world.refresh()
        context.undo()
        #expect(book.value(forKey: "title") as? String == "old")
        #expect(book.isUpdated && context.hasChanges && Array(book.changedValues().keys) == ["title"])
        try context.save()
        #expect(try world.saved(book, "title") as? String == "old")
        world.refresh()
        context.redo()
        #expect(book.value(forKey: "title") as? String == "new" && book.isUpdated)
        world.group { book.setValue(7, forKey: "pages") }
        try context.save()
        #expect(try world.saved(book, "title") as? String == "new")
        #expect(try world.saved(book, "pages") as? Int == 7)
    }

    @Test func undoRestoresRelationshipsOfFaults() throws {
        let world = try World()
        let (context, book, authors) = (world.context, world.book, world.authors)
        world.group {
            book.setValue(authors[1], forKey: "author")
            book.mutableSetValue(forKey: "tags").add(world.tag)
        }
        try context.save()
        for _ in 0..<2 {
            world.refresh()
            context.undo()
            #expect(book.value(forKey: "author") as? NSManagedObject === authors[0])
            #expect(authors.map { $0.names("books") } == [["old"], []])
            #expect(book.names("tags").isEmpty && world.tag.names("books").isEmpty)
            try context.save()
            #expect(try world.saved(book, "author") as? String == "a")
            #expect((try world.saved(book, "tags") as? NSSet)?.count == 0)
            world.refresh()
            context.redo()
            #expect(authors.map { $0.names("books") } == [[], ["old"]])
            try context.save()
            #expect(try world.saved(book, "author") as? String == "b")
            #expect((try world.saved(book, "tags") as? NSSet)?.count == 1)
        }
    }

    @Test func undoDeletesAnInsertedFault() throws {
        let world = try World()
        let context = world.context
        var made: NSManagedObject?
        world.group { made = context.make("Book", ["title": "made", "author": world.authors[0]]) }
        let book = try #require(made)
        try context.save()
        world.refresh()
        context.undo()
        #expect(book.isDeleted && world.authors[0].names("books") == ["old"])
        try context.save()
        #expect(try context.all("Book") == [world.book])
        world.refresh()
        context.redo()
        #expect(book.isInserted && !book.isDeleted && book.value(forKey: "title") as? String == "made")
        #expect(world.authors[0].names("books") == ["made", "old"])
        try context.save()
        #expect(try world.saved(book, "author") as? String == "a")
    }

    @Test func undoRestoresADeletedObjectAmongFaults() throws {
        let world = try World()
        let (context, author) = (world.context, world.authors[0])
        world.group { context.delete(author) }
        try context.save()
        world.refresh()
        context.undo()
        #expect(author.isInserted && author.names("books") == ["old"])
        #expect(world.book.value(forKey: "author") as? NSManagedObject === author)
        try context.save()
        #expect(try world.saved(world.book, "author") as? String == "a")
        world.refresh()
        context.redo()
        #expect(author.isDeleted && world.book.value(forKey: "author") == nil)
        try context.save()
        #expect(try world.saved(world.book, "author") == nil)
    }

    /// Undo reverts the changes of its event, but not later changes of the same objects by other contexts.
    @Test func undoKeepsSavesOfOtherContexts() throws {
        let world = try World()
        let (context, book, authors) = (world.context, world.book, world.authors)
        let other = try Library.context(context.persistentStoreCoordinator)
        world.group {
            authors[0].setValue("mine", forKey: "name")
            book.mutableSetValue(forKey: "tags").add(world.tag)
        }
        try context.save()
        let theirs = other.object(with: authors[0].objectID)
        theirs.setValue(50, forKey: "age")
        let second = other.make("Tag", ["name": "y"])
        other.object(with: book.objectID).mutableSetValue(forKey: "tags").add(second)
        try other.save()
        context.refreshAllObjects()
        context.undo()
        #expect(authors[0].value(forKey: "name") as? String == "a" && authors[0].value(forKey: "age") as? Int == 50)
        #expect(book.names("tags") == ["y"])
        try context.save()
        #expect(try world.saved(authors[0], "age") as? Int == 50)
        #expect((try world.saved(book, "tags") as? NSSet)?.count == 1)
        context.refreshAllObjects()
        context.redo()
        #expect(book.names("tags") == ["x", "y"] && authors[0].value(forKey: "age") as? Int == 50)
    }

    /// The previous author of a book has been related to another book by a merge, or deleted.
    @Test func undoKeepsRelationshipsChangedByOtherContexts() throws {
        let world = try World()
        let (context, book, authors) = (world.context, world.book, world.authors)
        let other = try Library.context(context.persistentStoreCoordinator)
        world.group { book.setValue(authors[1], forKey: "author") }
        try context.save()
        let third = other.make("Author", ["name": "c"])
        other.object(with: book.objectID).setValue(third, forKey: "author")
        try other.save()
        context.refreshAllObjects()
        #expect(book.value(forKeyPath: "author.name") as? String == "c")
        let known = context.object(with: third.objectID)
        #expect(known.names("books") == ["old"])
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === authors[0])
        #expect(known.names("books").isEmpty && authors.map { $0.names("books") } == [["old"], []])
        context.rollback()
        world.group { book.setValue(authors[0], forKey: "author") }
        try context.save()
        world.group { book.setValue(nil, forKey: "author") }
        try context.save()
        other.delete(other.object(with: authors[0].objectID))
        let note = try #require(try other.notes { try other.save() }.first)
        context.mergeChanges(fromContextDidSave: note)
        context.undo()
        #expect(book.value(forKey: "author") == nil)
        try context.save()
        #expect(try world.saved(book, "author") == nil)
    }

    @Test func undoAfterRefreshOfUnsavedChangesChangesNothing() throws {
        let world = try World()
        world.group { world.book.setValue("new", forKey: "title") }
        world.refresh()
        world.context.undo()
        #expect(world.book.value(forKey: "title") as? String == "old" && !world.context.hasChanges)
        world.context.rollback()
        world.group { world.book.setValue("new", forKey: "title") }
        world.context.rollback()
        world.context.undo()
        #expect(!world.context.hasChanges)
    }

    @Test func undoWorksForRefreshedObjectsOfAChild() throws {
        let world = try World()
        world.context.undoManager = nil
        let child = GraphFuzzTests.child(of: world.context)
        let manager = UndoManager()
        manager.groupsByEvent = false
        child.undoManager = manager
        let book = child.object(with: world.book.objectID)
        manager.beginUndoGrouping()
        book.setValue("new", forKey: "title")
        child.processPendingChanges()
        manager.endUndoGrouping()
        try child.save()
        child.refresh(book, mergeChanges: false)
        child.undo()
        #expect(book.isUpdated && book.value(forKey: "title") as? String == "old")
        try child.save()
        #expect(world.book.value(forKey: "title") as? String == "old")
        try world.context.save()
        #expect(try world.saved(world.book, "title") as? String == "old")
    }
}
