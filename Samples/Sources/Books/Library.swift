import CoreData

/// The queries of the app's screens.
struct Library {
    let context: NSManagedObjectContext

    /// Returns the books that match a predicate, sorted by author and title.
    func books(_ predicate: NSPredicate? = nil) throws -> [Book] {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Book.author?.name, ascending: true),
            NSSortDescriptor(keyPath: \Book.title, ascending: true),
        ]
        return try context.fetch(request)
    }

    /// Returns the titles of the books that match a predicate.
    func titles(_ predicate: NSPredicate) throws -> [String] { try books(predicate).compactMap(\.title) }

    /// Returns the authors that match a predicate, sorted by name.
    func authors(_ predicate: NSPredicate? = nil) throws -> [Author] {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    /// Returns the book with a title, or `nil` if there is none.
    func book(_ title: String) throws -> Book? { try books(NSPredicate(format: "title == %@", title)).first }

    /// Returns a controller for the books of a list, with a section for each author.
    func sections() throws -> NSFetchedResultsController<Book> {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "author.name", ascending: true), NSSortDescriptor(key: "published", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
        try controller.performFetch()
        return controller
    }
}
