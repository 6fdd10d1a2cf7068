import CoreData

/// Notebooks in a store.
public final class JournalStore {
    public let container: NSPersistentContainer

    public init() {
        container = NSPersistentContainer(
            name: "Journal",
            managedObjectModel: NSManagedObjectModel(contentsOf: Bundle.module.url(forResource: "Journal", withExtension: "momd")!)!)
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in if let error = error { fatalError("\(error)") } }
    }

    public func newNotebook() -> Notebook { Notebook(context: container.viewContext) }
}
