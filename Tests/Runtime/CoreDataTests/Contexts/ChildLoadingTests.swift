import CSQLite3
import Foundation
import RuntimeSupport
import Testing

@testable import CoreData

/// A child context loads many objects with as few statements as its parent would.
@Suite(.over(.sqlite)) struct ChildLoadingTests {
    private static let count = 100

    /// Returns a coordinator with authors who each have a book with a tag.
    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let context = try Library.context()
        for number in 0..<Self.count {
            let author = context.make("Author", ["name": "\(number)"])
            let tag = context.make("Tag", ["name": "\(number)"])
            _ = context.make("Book", ["pages": number, "author": author, "tags": NSSet(object: tag)])
        }
        try context.save()
        return try #require(context.persistentStoreCoordinator)
    }

    /// Returns the number of statements that a body runs.
    private func statements(
        _ coordinator: NSPersistentStoreCoordinator, _ body: () throws -> Void
    ) throws -> Int {
        let store = try #require(coordinator.persistentStores.first?.engine as? SQLiteStore)
        let handle = try store.connection().handle
        let counter = WorkCount.Counter()
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_STMT),
            { _, counter, _, _ in
                guard let counter else { return 0 }
                Unmanaged<WorkCount.Counter>.fromOpaque(counter).takeUnretainedValue().steps += 1
                return 0
            }, Unmanaged.passUnretained(counter).toOpaque())
        defer { sqlite3_trace_v2(handle, 0, nil, nil) }
        try body()
        return counter.steps
    }

    private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    @Test(arguments: 0...2) func prefetchingTakesFewStatements(level: Int) throws {
        let coordinator = try coordinator()
        var contexts = [try Library.context(coordinator)]
        for _ in 0..<level { contexts.append(child(of: contexts[contexts.count - 1])) }
        let context = contexts[level]
        defer { withExtendedLifetime(contexts) {} }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = ["books.tags"]
        var authors: [NSManagedObject] = []
        let count = try statements(coordinator) { authors = try context.fetch(request) }
        #expect(count < Self.count, "level \(level)")
        // Everything is there.
        let later = try statements(coordinator) {
            for author in authors {
                for book in try #require(author.value(forKey: "books") as? Set<NSManagedObject>) {
                    #expect(book.value(forKey: "pages") != nil && !book.hasFault(forRelationshipNamed: "tags"))
                }
            }
        }
        #expect(later == 0 && authors.count == Self.count, "level \(level)")
    }

    @Test func faultsAreLoadedTogether() throws {
        let coordinator = try coordinator()
        let parent = try Library.context(coordinator)
        let context = child(of: parent)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        var books: [NSManagedObject] = []
        defer { withExtendedLifetime((parent, context)) {} }
        let count = try statements(coordinator) { books = try context.fetch(request) }
        #expect(count < 10 && books.allSatisfy { !$0.isFault })
    }

    /// What another child saves is looked up in the parent with one request for all objects.
    @Test func mergesInAChildAskForAllObjectsTogether() throws {
        let coordinator = try coordinator()
        let parent = try Library.context(coordinator)
        let context = child(of: parent)
        let writer = try Library.context(coordinator)
        let books = try writer.all("Book", by: "pages")
        let copies = try context.all("Book", by: "pages")
        for book in books.prefix(40) { writer.delete(book) }
        for number in 0..<40 { _ = writer.make("Book", ["pages": 1000 + number]) }
        let note = try #require(try writer.notes { try writer.save() }.first)
        defer { withExtendedLifetime((parent, writer)) {} }
        let count = try statements(coordinator) { context.mergeChanges(fromContextDidSave: note) }
        #expect(count < 40)
        #expect(copies.prefix(40).allSatisfy(\.isDeleted) && !copies.dropFirst(40).contains(where: \.isDeleted))
        let pages = try context.all("Book", by: "pages").suffix(40).map { $0.value(forKey: "pages") as? Int }
        #expect(pages == Array(1000..<1040))
    }
}
