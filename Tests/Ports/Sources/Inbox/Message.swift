import UIKit

// Another module of the program has an entity of the same name. UIKit imports Core Data.
@objc(Message)
public class Message: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var isRead: Bool

    /// All messages, as requests were written before they were generic.
    static func all() -> NSFetchRequest<Message> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Entry")
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Message.title), ascending: true)]
        request.fetchLimit = 10
        return request as! NSFetchRequest<Message>
    }

    static func unread() -> NSFetchRequest<NSFetchRequestResult>? {
        let request = all()
        request.predicate = NSPredicate(format: "isRead == NO")
        return (request.copy() as? NSFetchRequest<Message>) as? NSFetchRequest<NSFetchRequestResult>
    }
}
