public import CoreData

/// A list of things to do. Its entity is Manual/None: this class is handwritten, and needs nothing but `@NSManaged`.
public class ToDoList: NSManagedObject {
    /// What the list is called.
    @NSManaged public var name: String
    /// What is on it.
    @NSManaged public var items: Set<ToDoItem>

    /// Puts an item on the list; it leaves the one that it was on.
    @NSManaged public func addToItems(_ item: ToDoItem)
    /// Takes an item off the list.
    @NSManaged public func removeFromItems(_ item: ToDoItem)

    /// A request for lists; `fetchRequest()` would have to say what it is a request for.
    static func request() -> NSFetchRequest<ToDoList> { NSFetchRequest<ToDoList>(entityName: "ToDoList") }

    /// The items in the order in which they are shown.
    var sortedItems: [ToDoItem] {
        items.sorted { ($0.priority, $1.title ?? "") > ($1.priority, $0.title ?? "") }
    }
}
