import CoreData
import Foundation

final class MessageStore {
    static let identifier = Bundle.main.bundleIdentifier! + ".messages"

    let container: NSPersistentContainer

    init() {
        // Only the models of this module.
        let model = NSManagedObjectModel.mergedModel(from: [Bundle(for: MessageStore.self)])!
        container = NSPersistentContainer(name: "Inbox", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in
            if let error = error { fatalError("\(error)") }
        }
    }

    var modelFiles: [URL] {
        let bundle = Bundle(for: type(of: self))
        return bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil) ?? []
    }

    func count(where condition: NSPredicate = NSPredicate()) throws -> Int {
        let request = Message.all()
        request.predicate = condition
        return try container.viewContext.count(for: request)
    }
}
