import CoreData

@objc(Book)
class Book: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var pages: Int64
    @NSManaged var author: Author?
}

extension Book {
    @nonobjc class func fetchRequest() -> NSFetchRequest<Book> {
        NSFetchRequest<Book>(entityName: "Book")
    }
}
