import CoreData
import Foundation

extension Entry {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Entry> {
        return NSFetchRequest<Entry>(entityName: "Entry")
    }

    @NSManaged public var created: Date?
    @NSManaged public var mood: Int16
    @NSManaged public var title: String?
    @NSManaged public var tags: NSSet?
}

// MARK: Generated accessors for tags
extension Entry {
    @objc(addTagsObject:)
    @NSManaged public func addToTags(_ value: Tag)

    @objc(removeTagsObject:)
    @NSManaged public func removeFromTags(_ value: Tag)
}
