import CoreData
import SampleSupport

/// Books and authors, as in a first Core Data tutorial.
@main
@MainActor
struct BooksApp {
    static func main() async throws {
        try await Launch.run { folder in try await BooksApp(PersistenceController(folder: folder), folder).run() }
    }

    private let container: NSPersistentContainer
    private let library: Library
    private let folder: URL
    private var context: NSManagedObjectContext { container.viewContext }

    init(_ persistence: PersistenceController, _ folder: URL) {
        container = persistence.container
        library = Library(context: persistence.container.viewContext)
        self.folder = folder
    }

    private func run() async throws {
        try await addBooks()
        try search()
        try list()
        try cover()
        try undo()
        try preview()
    }

    private func addBooks() async throws {
        Launch.section("Adding the books that are not in the store yet")
        let new = try await BookImporter(container: container).add(BookRecord.library)
        print("in the list: \(BookRecord.library.count); new: \(new.isEmpty ? "none" : new.joined(separator: ", "))")
        print(
            "in the store: \(try library.books().count) books of \(try library.authors().count) authors"
        )
    }

    // MARK: Searching

    private func search() throws {
        Launch.section("Searching")
        try show("title = %@", "Emma")
        try show("author.name = %@", "Victor Hugo")
        try show("title BEGINSWITH[c] %@", "the")
        try show("title CONTAINS[dc] %@", "MISERA")
        try show("ANY genres.name = %@", "Satire")
        try show("NONE genres.name = %@", "Satire")
        try show("rating >= %d AND isFinished = YES", 4)
        try show("author.country = %@ OR author.country = %@", "France", "Ireland")
        try show("NOT (author.country IN %@)", ["France", "England"])
        try show("published < %@", Clock.date("1800-01-01 00:00") as NSDate)
        try show("TRUEPREDICATE")
        try show("FALSEPREDICATE")

        let unread = NSPredicate(format: "isFinished = %@", NSNumber(value: false))
        let good = NSPredicate(format: "%K > %i", "rating", 2)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [unread, good])
        print("unread and good: \(Self.text(try library.titles(both)))")
        let all = NSPredicate(format: "ALL books.rating >= 3")
        print(
            "authors of good books only: \(Self.text(try library.authors().filter { all.evaluate(with: $0) }.compactMap(\.name)))"
        )
        let model = container.managedObjectModel
        let finished = model.fetchRequestTemplate(forName: "FinishedBooks")?.predicate
        print("finished: \(Self.text(try library.books(finished).compactMap(\.title)))")
    }

    private func show(_ format: String, _ arguments: Any...) throws {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        let values = arguments.map { String(describing: $0) }.joined(separator: ", ")
        print("\(format)\(values.isEmpty ? "" : " (\(values))"): \(Self.text(try library.titles(predicate)))")
    }

    // MARK: Lists

    private func list() throws {
        Launch.section("A list with sections")
        let controller = try library.sections()
        for section in controller.sections ?? [] {
            print("\(section.name) (\(section.numberOfObjects))")
            for book in section.objects as? [Book] ?? [] {
                let genres = (book.genres as? Set<Genre> ?? []).compactMap(\.name).sorted().joined(separator: ", ")
                print("  \(Clock.year(book.published)) \(book.title ?? "") \(Self.stars(book)) (\(genres))")
            }
        }
        let last = IndexPath(indexes: [3, 1])
        print("the second book of the fourth author: \(controller.object(at: last).title ?? "")")

        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Book.rating, ascending: false),
            NSSortDescriptor(keyPath: \Book.title, ascending: true),
        ]
        request.fetchLimit = 2
        request.fetchOffset = 1
        print("second and third best: \(Self.text(try context.fetch(request).compactMap(\.title)))")
    }

    // MARK: Covers

    /// Stores a cover, which is large and is kept in a separate file next to the store.
    private func cover() throws {
        Launch.section("A cover")
        guard let emma = try library.book("Emma") else { return }
        print("before: \(emma.cover.map { "\($0.count) bytes" } ?? "none")")
        emma.cover = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try context.save()
        context.refresh(emma, mergeChanges: false)
        print("after: \(emma.cover?.count ?? 0) bytes, the last one is \(emma.cover?.last ?? 0)")
        let file = folder.appendingPathComponent("Books.sqlite").path
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        print("the store's own file is smaller: \(size < 300_000)")
    }

    // MARK: Undo

    private func undo() throws {
        Launch.section("Undo and redo")
        context.undoManager = UndoManager()
        guard let monk = try library.book("The Monk"),
            let hugo = try library.authors(NSPredicate(format: "name LIKE 'V*'")).first
        else { return }
        context.undoManager?.beginUndoGrouping()
        monk.rating = 5
        monk.title = "The Monk, again"
        context.undoManager?.endUndoGrouping()
        print("changed: \(monk.title ?? "") \(Self.stars(monk))")
        context.undo()
        print("undone: \(monk.title ?? "") \(Self.stars(monk))")
        context.redo()
        print("redone: \(monk.title ?? "") \(Self.stars(monk))")
        context.undo()

        context.undoManager?.beginUndoGrouping()
        context.delete(hugo)
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
        print("without Victor Hugo: \(try library.books().count) books")
        context.undo()
        print("with him again: \(try library.books().count) books; his: \(hugo.books?.count ?? 0)")
        print("something to save: \(monk.hasPersistentChangedValues || hugo.hasPersistentChangedValues)")
        context.undoManager = nil
        context.rollback()
    }

    // MARK: Preview

    private func preview() throws {
        Launch.section("The preview")
        let library = Library(context: PersistenceController.preview.container.viewContext)
        print("\(try library.books().count) books of \(try library.authors().compactMap(\.name)), kept nowhere")
    }

    private static func stars(_ book: Book) -> String { String(repeating: "*", count: Int(book.rating)) }

    private static func text(_ texts: [String]) -> String { texts.isEmpty ? "none" : texts.joined(separator: ", ") }
}
