import CoreData

/// The app's stack: a container with the model `Jokes` and a store in a file.
final class CoreDataStack {
    private let folder: URL?

    /// - Parameter folder: The folder of the store; `nil` for an in-memory store.
    init(folder: URL?) {
        self.folder = folder
    }

    lazy var persistentContainer: NSPersistentContainer = {
        let container = NSPersistentContainer(name: "Jokes")
        let description = NSPersistentStoreDescription()
        if let folder {
            description.url = folder.appendingPathComponent("Jokes.sqlite")
        } else {
            description.type = NSInMemoryStoreType
        }
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return container
    }()
}
