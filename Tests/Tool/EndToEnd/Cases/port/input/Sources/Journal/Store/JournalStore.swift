import CoreData
import Foundation

public final class JournalStore {
    public let container: NSPersistentContainer

    public init(inMemory: Bool = false) throws {
        guard let url = Bundle.module.url(forResource: "Journal", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { throw CocoaError(.fileNoSuchFile) }
        container = NSPersistentContainer(name: "Journal", managedObjectModel: model)
        if inMemory { container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null") }
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }

    public func entries(tagged name: String) throws -> [Entry] {
        let request: NSFetchRequest<Entry> = Entry.fetchRequest()
        request.predicate = NSPredicate(format: "ANY %K == %@", #keyPath(Entry.tags) + "." + #keyPath(Tag.name), name)
        request.sortDescriptors = [
            NSSortDescriptor(key: #keyPath(Entry.title), ascending: true)
        ]
        return try container.viewContext.fetch(request)
    }

    public func deleteAll() throws {
        _ = objc_getClass("Entry")
        let request = Entry.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>
        try container.viewContext.execute(NSBatchDeleteRequest(fetchRequest: request))
    }
}
