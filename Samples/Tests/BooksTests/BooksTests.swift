import CoreData
import Testing

@testable import Books

@MainActor @Suite struct BooksTests {
    private let container = PersistenceController(inMemory: true).container
    private var library: Library { Library(context: container.viewContext) }

    @Test func importingTheSameListTwiceAddsNothing() async throws {
        let importer = BookImporter(container: container)
        #expect(try await importer.add(BookRecord.library).count == 6)
        #expect(try await importer.add(BookRecord.library) == [])
        #expect(try library.books().count == 6)
        #expect(try library.authors().compactMap(\.name).count == 4)
    }

    @Test func deletingAnAuthorDeletesTheBooks() async throws {
        _ = try await BookImporter(container: container).add(BookRecord.library)
        let hugo = try #require(try library.authors(NSPredicate(format: "name = %@", "Victor Hugo")).first)
        container.viewContext.delete(hugo)
        try container.viewContext.save()
        #expect(try library.books().compactMap(\.title) == ["Emma", "Persuasion", "Gulliver’s Travels", "The Monk"])
        #expect(try container.viewContext.count(for: NSFetchRequest<Genre>(entityName: "Genre")) == 5)
    }

    @Test func sectionsAreAuthors() async throws {
        _ = try await BookImporter(container: container).add(BookRecord.library)
        let sections = try #require(try library.sections().sections)
        #expect(sections.map(\.name) == ["Jane Austen", "Jonathan Swift", "Matthew Lewis", "Victor Hugo"])
        #expect(sections.map(\.numberOfObjects) == [2, 1, 1, 2])
    }

    @Test func thePreviewContainsBooks() throws {
        let context = PersistenceController.preview.container.viewContext
        #expect(try context.count(for: NSFetchRequest<Book>(entityName: "Book")) == 10)
    }
}
