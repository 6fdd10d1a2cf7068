import CoreData

func make() {
    class Note: NSManagedObject {
        @NSManaged var text: String?
    }
}
