import CoreData
import SampleSupport

/// The operations of the app's screens: create, read, update and delete.
struct ToDoStore {
    let context: NSManagedObjectContext

    // MARK: Create

    /// Adds an item, created by its entity and set up by keys, which works without a class.
    func add(_ title: String, due: Date?, priority: Int16, to list: ToDoList) -> NSManagedObject? {
        guard let entity = NSEntityDescription.entity(forEntityName: "ToDoItem", in: context) else { return nil }
        let item = NSManagedObject(entity: entity, insertInto: context)
        item.setValue(title, forKey: "title")
        item.setValue(due, forKey: "dueDate")
        item.setValue(priority, forKeyPath: "priority")
        item.setValue(list, forKey: "list")
        return item
    }

    /// Adds a list.
    func addList(_ name: String) -> ToDoList {
        let list = ToDoList(context: context)
        list.name = name
        return list
    }

    // MARK: Read

    /// Returns all lists, sorted by name.
    func lists() throws -> [ToDoList] {
        let request = ToDoList.request()
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    /// Returns the items that match a predicate, sorted by descending priority, then by date.
    func items(_ predicate: NSPredicate? = nil) throws -> [ToDoItem] {
        let request: NSFetchRequest<ToDoItem> = ToDoItem.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \ToDoItem.priority, ascending: false),
            NSSortDescriptor(keyPath: \ToDoItem.dueDate, ascending: true),
            NSSortDescriptor(keyPath: \ToDoItem.title, ascending: true),
        ]
        return try context.fetch(request)
    }

    /// Returns the items due on the day of a date.
    func items(dueOn date: Date) throws -> [ToDoItem] {
        let start = Clock.calendar.startOfDay(for: date)
        guard let end = Clock.calendar.date(byAdding: .day, value: 1, to: start) else { return [] }
        return try items(
            NSPredicate(format: "(dueDate >= %@) AND (dueDate < %@)", start as NSDate, end as NSDate))
    }

    /// Returns the items due between two dates.
    func items(dueFrom start: Date, to end: Date) throws -> [ToDoItem] {
        try items(NSPredicate(format: "%K BETWEEN %@", "dueDate", [start, end] as CVarArg))
    }

    /// Returns the items that are overdue and not done.
    func overdueItems(at date: Date) throws -> [ToDoItem] {
        try items(NSPredicate(format: "dueDate < %@ AND isDone == NO", date as CVarArg))
    }

    // MARK: Delete

    /// Deletes all items that are done, and returns their number.
    func deleteDoneItems() throws -> Int {
        let items = try items(NSPredicate(format: "isDone == %@", NSNumber(value: true)))
        for item in items { context.delete(item) }
        return items.count
    }
}
