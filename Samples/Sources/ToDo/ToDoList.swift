public import CoreData

/// A list of things to do. Its entity is Manual/None: this class is handwritten and needs only `@NSManaged`.
public class ToDoList: NSManagedObject {
    /// The name of the list.
    @NSManaged public var name: String
    /// The items on the list.
    @NSManaged public var items: Set<ToDoItem>

    /// Adds an item to the list, and removes it from its previous list.
    @NSManaged public func addToItems(_ item: ToDoItem)
    /// Removes an item from the list.
    @NSManaged public func removeFromItems(_ item: ToDoItem)

    /// Returns a request for lists. Unlike with `fetchRequest()`, the result type need not be annotated at each use.
    static func request() -> NSFetchRequest<ToDoList> { NSFetchRequest<ToDoList>(entityName: "ToDoList") }

    /// The items in display order.
    var sortedItems: [ToDoItem] {
        items.sorted { ($0.priority, $1.title ?? "") > ($1.priority, $0.title ?? "") }
    }
}
