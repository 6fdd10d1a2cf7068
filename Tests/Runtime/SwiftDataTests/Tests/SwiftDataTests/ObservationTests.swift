import SwiftData
import Testing

@Suite struct ObservationTests {
    private let context: ModelContext

    init() throws { context = try makeContext() }

    /// Counts the notifications that a change causes, for the properties that a block reads.
    private func changes(of read: () -> Void, by change: () throws -> Void) rethrows -> Int {
        nonisolated(unsafe) var count = 0
        withObservationTracking(read) { count += 1 }
        try change()
        return count
    }

    private func savedPair() throws -> (Author, Book) {
        let (author, book) = (Author(name: "A"), Book(title: "B"))
        context.insert(author)
        context.insert(book)
        try context.save()
        return (author, book)
    }

    @Test func accessorsBeforeInsertion() {
        let book = Book(title: "B")
        #expect(changes(of: { _ = book.title }) { book.title = "C" } == 1)
        #expect(changes(of: { _ = book.title }) { book.pages = 7 } == 0)
        #expect(changes(of: { _ = book.cached }) { book.cached = 8 } == 0)
    }

    @Test func changingARelationshipNotifiesObserversOfItsInverse() throws {
        let (author, book) = try savedPair()
        #expect(changes(of: { _ = author.books }) { book.author = author } == 1)
        #expect(changes(of: { _ = author.name }) { book.author = nil } == 0)
        #expect(changes(of: { _ = book.author }) { author.books = [book] } == 1)
        #expect(changes(of: { _ = book.author }) { author.books.append(Book(title: "C")) } == 0)
        #expect(changes(of: { _ = book.author }) { author.books.removeAll() } == 1)
    }

    @Test func aRollbackNotifiesObserversOfChangedModels() throws {
        let (author, book) = try savedPair()
        book.title = "changed"
        #expect(changes(of: { _ = book.title }) { context.rollback() } == 1)
        #expect(changes(of: { _ = author.name }) { context.rollback() } == 0)
    }

    @Test func savesOfOtherContexts() throws {
        let (_, book) = try savedPair()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        same.title = "other"
        try other.save()
        let count = try changes(of: { _ = book.title }) { _ = try context.fetchCount(FetchDescriptor<Book>()) }
        #expect(count == 1 && book.title == "other")
    }

    @Test func aDeletionNotifiesObserversOfRelatedModels() throws {
        let (author, book) = try savedPair()
        book.author = author
        try context.save()
        let count = try changes(of: { _ = author.books }) {
            context.delete(book)
            try context.save()
        }
        #expect(count == 1 && author.books.isEmpty)
    }

    @Test func undoAndRedoNotifyObservers() throws {
        let (_, book) = try savedPair()
        context.undoManager = UndoManager()
        book.title = "changed"
        context.processPendingChanges()
        #expect(changes(of: { _ = book.title }) { context.undoManager?.undo() } == 1)
        #expect(book.title == "B")
        #expect(changes(of: { _ = book.title }) { context.undoManager?.redo() } == 1)
    }
}
