import CoreData

/// A book. It is public because the generated class `Author` is, whose methods take books.
@objc(Book)
public class Book: NSManagedObject {
    /// The title.
    @NSManaged public var title: String?
    /// The number of pages.
    @NSManaged public var pages: Int64
    /// The author.
    @NSManaged public var author: Author?
}

extension Book {
    /// Returns a request for all books.
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
        NSFetchRequest<Book>(entityName: "Book")
    }
}
