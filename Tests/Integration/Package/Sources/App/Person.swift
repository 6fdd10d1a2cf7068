import CoreData

/// Category/Extension: the class is here, its properties are generated.
public final class Person: NSManagedObject {
    var name: String {
        get { name_ ?? "nobody" }
        set { name_ = newValue }
    }

    var openTasks: [Task] { (tasks as? Set<Task> ?? []).filter { !$0.isDone } }
}
