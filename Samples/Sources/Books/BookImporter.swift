import CoreData
import SampleSupport

/// A book in an imported list.
struct BookRecord: Sendable {
    var title: String
    var author: String
    var country: String
    var year: Int
    var rating: Int16 = 0
    var isFinished = false
    var genres: [String] = []

    static let library = [
        BookRecord(
            title: "Emma", author: "Jane Austen", country: "England", year: 1815, rating: 5, isFinished: true,
            genres: ["Romance", "Satire"]),
        BookRecord(
            title: "Persuasion", author: "Jane Austen", country: "England", year: 1817, rating: 4, genres: ["Romance"]),
        BookRecord(
            title: "Gulliver’s Travels", author: "Jonathan Swift", country: "Ireland", year: 1726, rating: 3,
            genres: ["Adventure", "Satire"]),
        BookRecord(
            title: "The Monk", author: "Matthew Lewis", country: "England", year: 1796, rating: 2, genres: ["Gothic"]),
        BookRecord(
            title: "Les Misérables", author: "Victor Hugo", country: "France", year: 1862, rating: 4, isFinished: true,
            genres: ["History"]),
        BookRecord(
            title: "The Toilers of the Sea", author: "Victor Hugo", country: "France", year: 1866, genres: ["Adventure"]
        ),
        // A duplicate.
        BookRecord(title: "Emma", author: "Jane Austen", country: "England", year: 1815),
    ]
}

/// Imports books that are not in the store yet.
struct BookImporter {
    let container: NSPersistentContainer

    /// Adds the books of a list in the background, and returns the titles of new ones.
    func add(_ records: [BookRecord]) async throws -> [String] {
        let context = container.newBackgroundContext()
        return try await context.perform {
            var titles: [String] = []
            for record in records where try !isKnown(record, in: context) {
                let book = Book(context: context)
                book.title = record.title
                book.rating = record.rating
                book.isFinished = record.isFinished
                book.published = Clock.date("\(record.year)-01-01 00:00")
                book.author = try author(record, in: context)
                for name in record.genres { book.addToGenres(try genre(name, in: context)) }
                titles.append(record.title)
            }
            if context.hasChanges { try context.save() }
            return titles
        }
    }

    /// Returns whether a book is known. It counts instead of fetching, and includes new books that are not saved.
    private func isKnown(_ record: BookRecord, in context: NSManagedObjectContext) throws -> Bool {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(
            format: "%K = %@ AND %K = %@", "title", record.title, "author.name", record.author)
        return try context.count(for: request) > 0
    }

    private func author(_ record: BookRecord, in context: NSManagedObjectContext) throws -> Author {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = NSPredicate(format: "name = %@", record.author)
        request.fetchLimit = 1
        if let author = try context.fetch(request).first { return author }
        let author = Author(context: context)
        author.name = record.author
        author.country = record.country
        return author
    }

    private func genre(_ name: String, in context: NSManagedObjectContext) throws -> Genre {
        let request: NSFetchRequest<Genre> = Genre.fetchRequest()
        request.predicate = NSPredicate(format: "name = %@", name)
        if let genre = try context.fetch(request).first { return genre }
        let genre = Genre(context: context)
        genre.name = name
        return genre
    }
}
