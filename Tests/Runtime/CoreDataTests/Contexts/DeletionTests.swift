import CoreData
import Testing

/// A book that records its author when it is about to be deleted.
final class WatchedBook: NSManagedObject {
    var authorAtDeletion: String?

    override func prepareForDeletion() {
        super.prepareForDeletion()
        authorAtDeletion = (value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String
    }
}

/// Deleting many objects at once, and the state of deleted objects.
@Suite(.overAllStores) struct DeletionTests {
    /// Returns a context, with two authors with forty books each in the store, that has read none of them.
    private func makeBooks() throws -> NSManagedObjectContext {
        let coordinator = try Library.coordinator()
        let writer = try Library.context(coordinator)
        for name in ["a", "b"] {
            let author = writer.make("Author", ["name": name])
            for number in 0..<40 { _ = writer.make("Book", ["title": "\(name)\(number)", "author": author]) }
        }
        try writer.save()
        return try Library.context(coordinator)
    }

    @Test func deletingManyBooksRemovesThemFromTheirAuthors() throws {
        let context = try makeBooks()
        let books = try context.all("Book", by: "title")
        let deleted = books.enumerated().filter { $0.offset % 8 != 0 }.map(\.element)
        for book in deleted { context.delete(book) }
        context.processPendingChanges()
        let authors = try context.all("Author", by: "name")
        let left = books.filter { !$0.isDeleted }.compactMap { $0.value(forKey: "title") as? String }
        #expect(authors.flatMap { $0.names("books") }.sorted() == left.sorted() && left.count == 10)
        #expect(authors.allSatisfy { $0.isUpdated && $0.changedValues().keys.contains("books") })
        try context.save()
        #expect(authors.flatMap { $0.names("books") }.sorted() == left.sorted())
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(try fresh.all("Author").flatMap { $0.names("books") }.sorted() == left.sorted())
    }

    /// Apple's documentation describes the hook as the place for propagation before relationships are torn down.
    @Test(arguments: [false, true]) func cascadedObjectsSeeTheirOwnerInTheHook(isSaved: Bool) throws {
        let model = Library.model(booksRule: .cascadeDeleteRule)
        let entity = try #require(model.entitiesByName["Book"])
        entity.managedObjectClassName = NSStringFromClass(WatchedBook.self)
        let context = try Library.context(Library.coordinator(model))
        let author = context.make("Author", ["name": "a"])
        let books = (0..<3).map { context.make("Book", ["title": "\($0)", "author": author]) }
        if isSaved { try context.save() }
        context.delete(author)
        context.processPendingChanges()
        #expect(books.allSatisfy { ($0 as? WatchedBook)?.authorAtDeletion == "a" && $0.isDeleted == isSaved })
        #expect(books.allSatisfy { $0.value(forKey: "author") == nil })
    }

    @Test(arguments: [false, true]) func toOneRelationshipsCascade(isSaved: Bool) throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.relationshipsByName["sequel"]?.deleteRule = .cascadeDeleteRule
        let context = try Library.context(Library.coordinator(model))
        let third = context.make("Book", ["title": "3"])
        let second = context.make("Book", ["title": "2", "sequel": third])
        let first = context.make("Book", ["title": "1", "sequel": second])
        if isSaved { try context.save() }
        context.delete(first)
        try context.save()
        #expect(try context.all("Book").isEmpty)
        #expect(try Library.context(context.persistentStoreCoordinator).all("Book").isEmpty)
    }

    @Test func deletingAFewOfManyBooksRemovesThemFromTheirAuthors() throws {
        let context = try makeBooks()
        let author = try #require(try context.all("Author", by: "name").first)
        #expect(author.names("books").count == 40)
        for title in ["a7", "a3"] {
            let book = try #require(try context.all("Book").first { $0.value(forKey: "title") as? String == title })
            context.delete(book)
            context.processPendingChanges()
            #expect(!author.names("books").contains(title))
        }
        #expect(author.names("books").count == 38)
    }

    @Test func undoRestoresManyDeletedBooks() throws {
        let context = try makeBooks()
        context.undoManager = UndoManager()
        for book in try context.all("Book") { context.delete(book) }
        context.processPendingChanges()
        let authors = try context.all("Author")
        #expect(authors.allSatisfy { $0.names("books").isEmpty })
        context.undo()
        #expect(authors.allSatisfy { $0.names("books").count == 40 } && !context.hasChanges)
    }

    /// Values set after the deletion change the object, not the row that it shares with the store.
    @Test func changingADeletedObjectKeepsItsSavedValues() throws {
        let context = try makeBooks()
        let book = try #require(try context.all("Book", by: "title").first)
        context.delete(book)
        book.setValue("changed", forKey: "title")
        context.processPendingChanges()
        book.setValue("changed again", forKey: "title")
        #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "a0")
        context.rollback()
        #expect(book.value(forKey: "title") as? String == "a0" && !context.hasChanges)
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(try fresh.all("Book", by: "title").first?.value(forKey: "title") as? String == "a0")
    }
}
