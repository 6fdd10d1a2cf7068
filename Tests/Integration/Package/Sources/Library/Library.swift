public import CoreData

/// A library that only has a container: its classes are generated.
public enum Library {
    /// A container in memory, with the model of the library's bundle.
    public static func container() -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library")
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }
        return container
    }
}
