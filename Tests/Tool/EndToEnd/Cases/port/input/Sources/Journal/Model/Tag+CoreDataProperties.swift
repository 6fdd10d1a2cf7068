import CoreData
import Foundation

extension Tag {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Tag> {
        return NSFetchRequest<Tag>(entityName: "Tag")
    }

    @NSManaged public var name: String
    @NSManaged public var entries: NSSet?
}

extension Tag {
    public override var description: String { "#" + name }
}
