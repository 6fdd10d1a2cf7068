import CoreData
import Foundation

extension CustomerStore {
    public static func container() -> NSPersistentContainer {
        let url = Bundle.module.url(forResource: "Shop", withExtension: "momd")!
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: NSManagedObjectModel(contentsOf: url)!)
        container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in if let error = error { fatalError("\(error)") } }
        return container
    }
}
