import CoreData

class Book: NSManagedObject {
    @NSManaged var title: Date?
}
