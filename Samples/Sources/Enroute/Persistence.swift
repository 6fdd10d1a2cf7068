import CoreData

/// The app's stack: a container with the model `Enroute` and a store in a file.
struct PersistenceController {
    let container: NSPersistentContainer

    /// - Parameter folder: The folder of the store; `nil` for an in-memory store, for previews and tests.
    init(folder: URL? = nil) {
        container = NSPersistentContainer(name: "Enroute")
        container.persistentStoreDescriptions.first?.url =
            folder?.appendingPathComponent("Enroute.sqlite") ?? URL(fileURLWithPath: "/dev/null")
        container.loadPersistentStores { _, error in
            if let error { fatalError("Enroute: the store cannot be loaded: \(error)") }
        }
        // Data from the network is saved in the background; the views update automatically.
        container.viewContext.automaticallyMergesChangesFromParent = true
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }
}
