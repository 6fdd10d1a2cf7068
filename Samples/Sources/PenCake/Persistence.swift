import CoreData

/// The app's stack: a container with the model `PenCake` and a store in a file.
struct PersistenceController {
    let container: NSPersistentContainer

    /// - Parameter folder: The folder of the store; `nil` for an in-memory store, for previews and tests.
    init(folder: URL? = nil) {
        CoverTransformer.register()
        container = NSPersistentContainer(name: "PenCake")
        container.persistentStoreDescriptions.first?.url =
            folder?.appendingPathComponent("PenCake.sqlite") ?? URL(fileURLWithPath: "/dev/null")
        container.loadPersistentStores { _, error in
            if let error { fatalError("Failed to load the store: \(error.localizedDescription)") }
        }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }
}
