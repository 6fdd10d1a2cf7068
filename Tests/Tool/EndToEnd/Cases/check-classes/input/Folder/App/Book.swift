import CoreData

class Book: NSManagedObject {
    @NSManaged var year: Int32
    @NSManaged var title: String
    @NSManaged var cover: Data
    @NSManaged var printed: Date
}
