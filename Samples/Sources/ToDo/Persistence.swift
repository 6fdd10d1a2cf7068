import CoreData

/// The app's stack: a container with the model `ToDo` and a store in a file.
struct PersistenceController {
    let container: NSPersistentContainer

    /// - Parameter folder: The folder of the store; `nil` for an in-memory store, for previews and tests.
    init(folder: URL? = nil) {
        container = NSPersistentContainer(name: "ToDo")
        container.persistentStoreDescriptions.first?.url =
            folder?.appendingPathComponent("ToDo.sqlite") ?? URL(fileURLWithPath: "/dev/null")
        container.loadPersistentStores { _, error in
            if let error = error as NSError? { fatalError("Unresolved error \(error), \(error.userInfo)") }
        }
    }

    /// Saves the changes, if there are any.
    func saveContext() throws {
        let context = container.viewContext
        if context.hasChanges { try context.save() }
    }
}
