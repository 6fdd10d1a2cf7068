import CoreData

class Book: NSManagedObject {
    @NSManaged var year: Int32
}
