import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData

/// The work of a context's operations grows with the number of objects, not with its square.
@Suite struct GrowthTests {
    /// A context with saved books of one author, all of them loaded.
    private struct Shelf {
        let context: NSManagedObjectContext
        let author: NSManagedObject
        let books: [NSManagedObject]

        init(_ count: Int, _ type: String) throws {
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: Library.model(booksRule: .cascadeDeleteRule))
            _ = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
            context = try Library.context(coordinator)
            author = context.make("Author")
            let (context, author) = (context, author)
            books = (0..<count).map { context.make("Book", ["pages": $0, "author": author]) }
            try context.save()
        }

        func change() {
            for (number, book) in books.enumerated() { book.setValue(-number - 1, forKey: "pages") }
        }

        /// Returns another context whose copies of the objects are loaded, and a notification of a save here.
        func saving(_ body: () throws -> Void) throws -> (NSManagedObjectContext, Notification, [NSManagedObject]) {
            let other = try Library.context(context.persistentStoreCoordinator)
            let copies = try other.all("Book")
            for copy in copies { _ = copy.value(forKey: "pages") }
            let notes = try context.notes {
                try body()
                try context.save()
            }
            return (other, try #require(notes.first), copies)
        }
    }

    private typealias Operation = (name: String, work: (Shelf) throws -> Int)

    /// The operations, each with n objects.
    private static var operations: [Operation] { edits + reversals + saves + mixtures }

    /// Insertions, changes and deletions.
    private static var edits: [Operation] {
        [
            (
                "insert",
                { shelf in
                    measure { for _ in shelf.books { _ = shelf.context.make("Book", ["author": shelf.author]) } }
                }
            ),
            (
                "change and process",
                { shelf in
                    measure {
                        shelf.change()
                        shelf.context.processPendingChanges()
                    }
                }
            ),
            (
                "changed values",
                { shelf in
                    shelf.change()
                    return measure { for book in shelf.books { _ = book.changedValuesForCurrentEvent() } }
                }
            ),
            (
                "delete",
                { shelf in
                    measure {
                        for book in shelf.books { shelf.context.delete(book) }
                        shelf.context.processPendingChanges()
                    }
                }
            ),
            (
                "cascade",
                { shelf in
                    measure {
                        shelf.context.delete(shelf.author)
                        shelf.context.processPendingChanges()
                    }
                }
            ),
        ]
    }

    /// Refreshes, undo and rollback.
    private static var reversals: [Operation] {
        [
            (
                "refresh without changes",
                { shelf in
                    shelf.change()
                    return measure { for book in shelf.books { shelf.context.refresh(book, mergeChanges: false) } }
                }
            ),
            (
                "refresh each and ask",
                { shelf in
                    shelf.change()
                    return measure {
                        for book in shelf.books.reversed() {
                            shelf.context.refresh(book, mergeChanges: false)
                            _ = shelf.context.hasChanges
                        }
                    }
                }
            ),
            (
                "refresh with changes",
                { shelf in
                    shelf.change()
                    return measure { for book in shelf.books { shelf.context.refresh(book, mergeChanges: true) } }
                }
            ),
            (
                "undo of updates",
                { shelf in
                    shelf.context.undoManager = UndoManager()
                    shelf.change()
                    return measure { shelf.context.undo() }
                }
            ),
            (
                "undo and redo of deletions",
                { shelf in
                    shelf.context.undoManager = UndoManager()
                    for book in shelf.books { shelf.context.delete(book) }
                    return measure {
                        shelf.context.undo()
                        shelf.context.redo()
                    }
                }
            ),
            (
                "rollback",
                { shelf in
                    shelf.change()
                    return measure { shelf.context.rollback() }
                }
            ),
        ]
    }

    /// Saves, and merges of them.
    private static var saves: [Operation] {
        [
            (
                "save",
                { shelf in
                    shelf.change()
                    return try measure { try shelf.context.save() }
                }
            ),
            (
                "save to a parent",
                { shelf in
                    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    child.parent = shelf.context
                    return try measure {
                        for book in shelf.books { child.object(with: book.objectID).setValue(1, forKey: "pages") }
                        try child.save()
                    }
                }
            ),
            (
                "merge of updates",
                { shelf in
                    let (other, note, copies) = try shelf.saving(shelf.change)
                    return withExtendedLifetime(copies) {
                        measure { other.mergeChanges(fromContextDidSave: note) }
                    }
                }
            ),
            (
                "merge of deletions beneath changes",
                { shelf in
                    let (other, note, copies) = try shelf.saving {
                        for book in shelf.books { shelf.context.delete(book) }
                    }
                    for copy in copies { copy.setValue(7, forKey: "pages") }
                    return measure { other.mergeChanges(fromContextDidSave: note) }
                }
            ),
        ]
    }

    /// Reads beside changes, and changes in turn.
    private static var mixtures: [Operation] {
        [
            (
                "fetch with unsaved changes",
                { shelf in
                    shelf.change()
                    return try measure { _ = try shelf.context.all("Book", by: "pages") }
                }
            ),
            (
                "count members after each addition",
                { shelf in
                    let author = shelf.context.make("Author")
                    return measure {
                        for book in shelf.books {
                            _ = (author.value(forKey: "books") as? NSSet)?.count
                            author.mutableSetValue(forKey: "books").add(book)
                        }
                    }
                }
            ),
            (
                "delete and undo, one by one",
                { shelf in
                    let manager = UndoManager()
                    manager.groupsByEvent = false
                    shelf.context.undoManager = manager
                    return measure {
                        for book in shelf.books {
                            manager.beginUndoGrouping()
                            shelf.context.delete(book)
                            manager.endUndoGrouping()
                        }
                        for _ in shelf.books { shelf.context.undo() }
                        for _ in shelf.books { shelf.context.redo() }
                    }
                }
            ),
            (
                "change an ordered relationship, one by one, and undo",
                { shelf in
                    let manager = UndoManager()
                    manager.groupsByEvent = false
                    let volumes = shelf.context.make("Shelf").mutableOrderedSetValue(forKey: "volumes")
                    shelf.context.undoManager = manager
                    return measure {
                        for book in shelf.books {
                            manager.beginUndoGrouping()
                            volumes.insert(book, at: 0)
                            manager.endUndoGrouping()
                        }
                        for _ in shelf.books { shelf.context.undo() }
                    }
                }
            ),
            (
                "change an ordered relationship",
                { shelf in
                    let volumes = shelf.context.make("Shelf").mutableOrderedSetValue(forKey: "volumes")
                    return measure {
                        for book in shelf.books {
                            volumes.insert(book, at: 0)
                            volumes.moveObjects(at: [0], to: volumes.count / 2)
                        }
                        for _ in shelf.books {
                            volumes.replaceObject(at: 0, with: shelf.context.make("Book"))
                            volumes.removeObject(at: volumes.count / 2)
                        }
                    }
                }
            ),
            (
                "ask for an ordered relationship before each change",
                { shelf in
                    let owner = shelf.context.make("Shelf")
                    return measure {
                        for book in shelf.books { owner.mutableOrderedSetValue(forKey: "volumes").add(book) }
                    }
                }
            ),
            (
                "insert and delete",
                { shelf in
                    measure {
                        for _ in shelf.books {
                            shelf.context.delete(shelf.context.make("Book"))
                            shelf.context.processPendingChanges()
                        }
                    }
                }
            ),
        ]
    }

    /// Returns the number of steps that a body takes.
    private static func measure(_ body: () throws -> Void) rethrows -> Int {
        let counter = WorkCount.Counter()
        try WorkCount.$counter.withValue(counter, operation: body)
        return counter.steps
    }

    @Test(arguments: [NSInMemoryStoreType, NSSQLiteStoreType], 0..<operations.count)
    func workGrowsWithTheNumberOfObjects(type: String, index: Int) throws {
        let (name, work) = Self.operations[index]
        let size = runsLongForms ? 1000 : 100
        let counts = try [size, size * 2, size * 4].map { try work(Shelf($0, type)) }
        // With n log n steps, twice the objects take little more than twice the steps; with n * n, four times as many.
        let isLinear = counts[0] > 0 && counts[1] * 5 < counts[0] * 13 && counts[2] * 5 < counts[1] * 13
        #expect(isLinear, "\(name): \(counts)")
    }

    /// A merge visits only objects with relationships to what has changed.
    @Test func aMergeDoesNotVisitUnrelatedObjects() throws {
        let counts = try [100, 400].map { size in
            let context = try Library.context()
            let author = context.make("Author", ["name": "a"])
            for _ in 0..<size { _ = context.make("Novel") }
            try context.save()
            let other = try Library.context(context.persistentStoreCoordinator)
            let copies = try other.all("Novel") + [other.object(with: author.objectID)]
            author.setValue("b", forKey: "name")
            let note = try #require(try context.notes { try context.save() }.first)
            return withExtendedLifetime(copies) { Self.measure { other.mergeChanges(fromContextDidSave: note) } }
        }
        #expect(counts[0] == counts[1])
    }
}
