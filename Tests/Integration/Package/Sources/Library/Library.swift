public import CoreData

/// A library that contains only a container: its classes are generated.
public enum Library {
    /// Returns an in-memory container with the model of the library's bundle.
    public static func container() -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library")
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }
        return container
    }
}
