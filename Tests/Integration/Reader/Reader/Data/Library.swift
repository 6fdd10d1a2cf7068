import CoreData
import UIKit

/// The books. The import of UIKit is what Xcode's template left here.
final class Library {
    let container: NSPersistentContainer

    init(inMemory: Bool) throws {
        container = NSPersistentContainer(name: "Reader")
        if inMemory { container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null") }
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }

    func add(_ title: String, pages: Int64, by name: String) throws {
        let book = Book(context: container.viewContext)
        book.title = title
        book.pages = pages
        book.author = Author(context: container.viewContext)
        book.author?.name = name
        try container.viewContext.save()
    }

    func titles(longerThan pages: Int) throws -> [String] {
        let request = Book.fetchRequest()
        request.predicate = NSPredicate(format: "%K > %d", #keyPath(Book.pages), pages)
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Book.title), ascending: true)]
        return try container.viewContext.fetch(request).compactMap(\.title)
    }
}
