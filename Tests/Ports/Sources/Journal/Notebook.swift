import CoreData
import Foundation

@objc(Notebook)
public class Notebook: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public internal(set) var saves: Int64
    @NSManaged public var entries: Set<Entry>

    @objc(addEntriesObject:)
    @NSManaged public func addToEntries(_ value: Entry)

    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    convenience init(context: NSManagedObjectContext) {
        self.init(entity: NSEntityDescription.entity(forEntityName: "Notebook", in: context)!, insertInto: context)
        name = "new"
    }

    /// A delegate as it was written before Swift had anything else.
    @objc public protocol Observer {
        func notebookWasSaved(_ notebook: Notebook)
    }

    @nonobjc public weak var observer: Observer?
}
