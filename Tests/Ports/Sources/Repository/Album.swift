import Foundation
import CoreData.NSManagedObject

/// The class has its old name in stores and models.
@objc(Record)
open class Album: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var tracks: Set<Track>
    /// Not stored.
    public var isNew = false

    @objc
    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        isNew = context != nil
    }

    public convenience init(context: NSManagedObjectContext, name: String) {
        self.init(entity: NSEntityDescription.entity(forEntityName: "Album", in: context)!, insertInto: context)
        self.name = name
    }

    @objc open func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let name = value.pointee as? String else { return }
        let trimmed = name.trimmingCharacters(in: .whitespaces)
        if trimmed.isEmpty { throw RepositoryError.emptyName }
        if trimmed != name { value.pointee = trimmed as NSString }
    }
}
