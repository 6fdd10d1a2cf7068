import CoreData

@objc(Book)
class Book: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var year: Int16
}
