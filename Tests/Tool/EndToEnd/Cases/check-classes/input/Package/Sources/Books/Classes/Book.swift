import CoreData

@objc(Book)
class Book: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var year: Int32
}
