import CoreData

@objc(Book)
public class Book: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var pages: Int64
    @NSManaged public var author: Author?
}

extension Book {
    @nonobjc class func fetchRequest() -> NSFetchRequest<Book> {
        NSFetchRequest<Book>(entityName: "Book")
    }
}
