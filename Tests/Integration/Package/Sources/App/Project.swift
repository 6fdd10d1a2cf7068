import CoreData
import Foundation

/// Manual/None: everything is handwritten, with commonly used types.
public class Project: NSManagedObject {
    public enum Stage: Int16 {
        case idea, draft, done
    }

    @NSManaged public var name: String
    @NSManaged public var created: Date?
    @NSManaged public private(set) var id: UUID?
    @NSManaged public internal(set) var stage: Stage
    @NSManaged var isOpen: Bool, ratio: Float
    @NSManaged var count: Int
    @NSManaged var weight: Double
    @NSManaged var budget: NSNumber?
    @NSManaged var amount: NSDecimalNumber!
    @NSManaged var file: Data
    @NSManaged var link: URL?
    @NSManaged var color: [String: String]?
    @NSManaged private var primitiveName: String?
    @NSManaged fileprivate var primitiveCount: NSNumber?

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        id = UUID()
        primitiveName = "project"
        primitiveCount = 7
    }

    var storedName: String? { primitiveName }
}

extension Project {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Project> {
        NSFetchRequest<Project>(entityName: "Project")
    }

    @NSManaged public var tasks: Set<Task>
    @NSManaged public var labels: NSOrderedSet?

    @NSManaged func addToTasks(_ value: Task)
    @NSManaged func removeFromTasks(_ value: Task)
    @NSManaged func addToTasks(_ values: Set<Task>)
    @NSManaged func addToLabels(_ value: Label)
    @NSManaged func insertIntoLabels(_ value: Label, at idx: Int)
    @NSManaged func removeFromLabels(at idx: Int)
    @NSManaged func removeFromLabels(_ values: NSOrderedSet)
    @NSManaged func replaceLabels(at idx: Int, with value: Label)
    @NSManaged func insertIntoLabels(_ values: [Label], at indexes: NSIndexSet)
}

/// A name without a module, in the model as in the program.
class Label: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var projects: NSOrderedSet
}
