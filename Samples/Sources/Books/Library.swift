import CoreData

/// What the screens of the app ask the store.
struct Library {
    let context: NSManagedObjectContext

    /// The books that a predicate is true for, by author and title.
    func books(_ predicate: NSPredicate? = nil) throws -> [Book] {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Book.author?.name, ascending: true),
            NSSortDescriptor(keyPath: \Book.title, ascending: true),
        ]
        return try context.fetch(request)
    }

    /// The titles of the books that a predicate is true for.
    func titles(_ predicate: NSPredicate) throws -> [String] { try books(predicate).compactMap(\.title) }

    /// The authors that a predicate is true for, by name.
    func authors(_ predicate: NSPredicate? = nil) throws -> [Author] {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    /// The book of a title; nil for none.
    func book(_ title: String) throws -> Book? { try books(NSPredicate(format: "title == %@", title)).first }

    /// The books in the sections of a list: one for each author.
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
