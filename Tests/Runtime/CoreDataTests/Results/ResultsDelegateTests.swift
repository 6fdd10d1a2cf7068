import CoreData
import Testing

/// Calls of delegates, from Apple's reference of NSFetchedResultsControllerDelegate: "On add and remove operations,
/// only the added/removed object is reported"; "a move is reported when the changed attribute on the object is one of
/// the sort descriptors", an update "when an object's state changes, but the changed attributes aren't part of the sort
/// keys".
@Suite struct ResultsDelegateTests {
    let context: NSManagedObjectContext
    let delegate = TableDelegate()

    init() throws {
        context = try Library.context()
        for (title, pages) in [("a", 1), ("c", 1), ("e", 2), ("g", 3)] {
            _ = context.make("Book", ["title": title, "pages": pages])
        }
        try context.save()
    }

    private func controller(
        _ sections: String? = nil, _ predicate: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors =
            (sections.map { [$0] } ?? []).map { NSSortDescriptor(key: $0, ascending: true) }
            + [NSSortDescriptor(key: "title", ascending: true)]
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
        delegate.reload(controller)
        return controller
    }

    private func book(_ title: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == %@", title)
        return try #require(try context.fetch(request).first)
    }

    /// Processes the changes, and returns the delegate's calls.
    private func told() -> [String] {
        context.processPendingChanges()
        defer { delegate.log = [] }
        #expect(delegate.problems == [])
        return delegate.log
    }

    @Test func insertionsDeletionsMovesAndUpdatesAreReported() throws {
        let controller = try controller()
        _ = context.make("Book", ["title": "b"])
        #expect(delegate.log.isEmpty)
        #expect(told() == ["will", "insert b nil 0/1", "did"])
        context.delete(try book("a"))
        #expect(told() == ["will", "delete a 0/0 nil", "did"])
        try book("b").setValue("f", forKey: "title")
        #expect(told() == ["will", "move f 0/0 0/2", "did"])
        try book("f").setValue(9, forKey: "pages")
        #expect(told() == ["will", "update f 0/2 0/2", "did"])
        #expect(controller.fetchedObjects?.compactMap { $0.value(forKey: "title") as? String } == ["c", "e", "f", "g"])
        try context.save()
        #expect(told() == [])
        withExtendedLifetime(controller) {}
    }

    /// Old index paths refer to the state before all changes, new ones to the state after.
    @Test func simultaneousChangesAreReported() throws {
        let controller = try controller()
        // Fetch the objects first: a fetch would process earlier changes.
        let (gone, changed, moved) = (try book("c"), try book("e"), try book("a"))
        context.delete(gone)
        delegate.label = { $0 === gone ? "gone" : $0.value(forKey: "title") as? String ?? "" }
        _ = context.make("Book", ["title": "b"])
        _ = context.make("Book", ["title": "h"])
        changed.setValue(7, forKey: "pages")
        moved.setValue("z", forKey: "title")
        #expect(
            told() == [
                "will", "delete gone 0/1 nil", "insert b nil 0/0", "insert h nil 0/3", "move z 0/0 0/4",
                "update e 0/2 0/1", "did",
            ])
        withExtendedLifetime(controller) {}
    }

    @Test func insertedAndDeletedSectionsAreReported() throws {
        let controller = try controller("pages")
        #expect(delegate.names == ["1", "2", "3"])
        _ = context.make("Book", ["title": "n", "pages": 0])
        #expect(told() == ["will", "section +0 0", "insert n nil 0/0", "did"])
        try book("e").setValue(1, forKey: "pages")
        #expect(told() == ["will", "section -2 2", "move e 2/0 1/2", "did"])
        // From one section to another.
        try book("a").setValue(3, forKey: "pages")
        #expect(told() == ["will", "move a 1/0 2/0", "did"])
        // A new section replaces another.
        try book("n").setValue(2, forKey: "pages")
        #expect(told() == ["will", "section -0 0", "section +2 1", "move n 0/0 1/0", "did"])
        context.delete(try book("n"))
        #expect(told() == ["will", "delete n 1/0 nil", "section -2 1", "did"])
        #expect(delegate.names == ["1", "3"])
        withExtendedLifetime(controller) {}
    }

    /// Sections cannot be reported as moved: one is deleted and inserted.
    @Test func movedSectionsAreReported() throws {
        let (one, two) = (
            context.make("Author", ["name": "A", "age": 1]), context.make("Author", ["name": "B", "age": 2])
        )
        for (title, author) in [("a", one), ("c", one), ("e", two), ("g", two)] {
            try book(title).setValue(author, forKey: "author")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "author.age", ascending: true), NSSortDescriptor(key: "title", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
        delegate.reload(controller)
        #expect(delegate.names == ["A", "B"])
        one.setValue(3, forKey: "age")
        // No delegate call reports a change of the author; its books have to change.
        #expect(told() == [])
        for book in [try book("a"), try book("c")] { book.setValue(8, forKey: "pages") }
        #expect(
            told() == [
                "will", "section -A 0", "section +A 1", "move a 0/0 1/0", "move c 0/1 1/1", "did",
            ])
        #expect(delegate.names == ["B", "A"])
    }

    @Test func predicateChangesInsertAndDelete() throws {
        let controller = try controller(nil, "pages < 3")
        #expect(delegate.rows[0].count == 3)
        _ = context.make("Book", ["title": "h", "pages": 5])
        #expect(told() == [])
        try book("a").setValue(5, forKey: "pages")
        #expect(told() == ["will", "delete a 0/0 nil", "did"])
        try book("g").setValue(2, forKey: "pages")
        #expect(told() == ["will", "insert g nil 0/2", "did"])
        _ = context.make("Author")
        #expect(told() == [])
        withExtendedLifetime(controller) {}
    }

    @Test func excludedSubentitiesAreNotReported() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.includesSubentities = false
        let books = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        books.delegate = delegate
        try books.performFetch()
        delegate.reload(books)
        _ = context.make("Novel", ["title": "n"])
        #expect(told() == [])
        request.includesSubentities = true
        try books.performFetch()
        delegate.reload(books)
        #expect(delegate.rows[0].count == 5)
        _ = context.make("Novel", ["title": "b"])
        #expect(told() == ["will", "insert b nil 0/1", "did"])
    }

    @Test func changesOutsideTheLimitAreNotReported() throws {
        let controller = try controller(limit: 2, offset: 1)
        #expect(delegate.rows[0].map(delegate.label) == ["c", "e"])
        _ = context.make("Book", ["title": "b"])
        #expect(told() == ["will", "delete e 0/1 nil", "insert b nil 0/0", "did"])
        _ = context.make("Book", ["title": "x"])
        #expect(told() == [])
        try book("c").setValue(4, forKey: "pages")
        #expect(told() == ["will", "update c 0/1 0/1", "did"])
        context.delete(try book("a"))
        #expect(told() == ["will", "delete b 0/0 nil", "insert e nil 0/1", "did"])
        withExtendedLifetime(controller) {}
    }

    @Test func undoAndRollbackAreReported() throws {
        let controller = try controller()
        context.undoManager = UndoManager()
        let gone = try book("c")
        context.delete(gone)
        #expect(told() == ["will", "delete c 0/1 nil", "did"])
        context.undo()
        #expect(told() == ["will", "insert c nil 0/1", "did"])
        context.redo()
        #expect(told() == ["will", "delete c 0/1 nil", "did"])
        _ = context.make("Book", ["title": "new"])
        try book("a").setValue("z", forKey: "title")
        _ = told()
        context.rollback()
        #expect(told().count > 2)
        #expect(delegate.rows[0].map(delegate.label) == ["a", "c", "e", "g"])
        withExtendedLifetime(controller) {}
    }

    @Test func mergedChangesAreReported() throws {
        let controller = try controller("pages")
        let other = try Library.context(context.persistentStoreCoordinator)
        context.automaticallyMergesChangesFromParent = true
        let books = try other.all("Book", by: "title")
        books[0].setValue(5, forKey: "pages")
        other.delete(books[1])
        _ = other.make("Book", ["title": "n", "pages": 2])
        try other.save()
        context.performAndWait {}
        _ = told()
        #expect(delegate.names == ["2", "3", "5"])
        #expect(delegate.rows.map { $0.map(delegate.label) } == [["e", "n"], ["g"], ["a"]])
        let child = GraphFuzzTests.child(of: context)
        try child.performAndWait {
            _ = child.make("Book", ["title": "m", "pages": 2])
            try child.save()
        }
        _ = told()
        #expect(delegate.rows[0].map(delegate.label) == ["e", "m", "n"])
        withExtendedLifetime(controller) {}
    }

    @Test func refreshesAreReported() throws {
        let controller = try controller()
        context.refresh(try book("c"), mergeChanges: true)
        #expect(told() == ["will", "update c 0/1 0/1", "did"])
        try book("a").setValue("z", forKey: "title")
        _ = told()
        context.refresh(try book("z"), mergeChanges: false)
        #expect(told() == ["will", "move a 0/3 0/0", "did"])
        withExtendedLifetime(controller) {}
    }

    /// A reset removes all objects of a context, and new ones replace them.
    @Test func resetsAreReported() throws {
        let controller = try controller()
        delegate.label = { _ in "book" }
        context.reset()
        #expect(delegate.problems == [])
        #expect(delegate.log.filter { $0.hasPrefix("delete") }.count == 4)
        #expect(delegate.log.filter { $0.hasPrefix("insert") }.count == 4)
        #expect(controller.fetchedObjects?.first?.value(forKey: "title") as? String == "a")
        #expect(controller.fetchedObjects?.allSatisfy { $0.managedObjectContext === context } == true)
    }

    /// Changes made by a delegate during its calls are reported afterwards.
    @Test func changesByTheDelegateAreReportedAfterwards() throws {
        let controller = try controller()
        var isDone = false
        delegate.onChange = { [context, delegate] in
            guard !isDone else { return }
            isDone = true
            _ = context.make("Book", ["title": "d"])
            context.processPendingChanges()
            #expect(delegate.log.last == "insert b nil 0/1")
        }
        _ = context.make("Book", ["title": "b"])
        #expect(told() == ["will", "insert b nil 0/1", "did", "will", "insert d nil 0/3", "did"])
        withExtendedLifetime(controller) {}
    }

    @Test func delegatesReceiveTheController() throws {
        final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
            var controller: NSObject?
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                self.controller = controller
            }
        }
        let (controller, delegate) = (try controller(), Delegate())
        controller.delegate = delegate
        _ = context.make("Book", ["title": "b"])
        context.processPendingChanges()
        #expect(delegate.controller == controller && controller == delegate.controller)
        #expect(delegate.controller?.hash == controller.hash)
        #expect((delegate.controller as? NSFetchedResultsController<any NSFetchRequestResult>)?.delegate === delegate)
        #expect(try controller != self.controller())
    }
}
