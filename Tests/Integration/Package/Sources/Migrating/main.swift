import CoreData
import Foundation

// Creates a store with the first version, opens it with the current one, and prints the result of the mapping model and
// its policy.
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migrating-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let url = folder.appendingPathComponent("Shelf.sqlite")

guard let bundle = Bundle.module.url(forResource: "Shelf", withExtension: "momd"),
    let first = NSManagedObjectModel(contentsOf: bundle.appendingPathComponent("Shelf.mom"))
else { fatalError("no model") }
let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.persistentStoreCoordinator = coordinator
try context.performAndWait {
    for title in ["Emma", "Persuasion"] {
        NSEntityDescription.insertNewObject(forEntityName: "Volume", into: context).setValue(title, forKey: "title")
        try context.save()
    }
}
try coordinator.remove(store)

let container = NSPersistentContainer(name: "Shelf")
container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
container.loadPersistentStores { _, error in
    if let error { fatalError("\(error)") }
}
let request = Volume.fetchRequest()
request.sortDescriptors = [NSSortDescriptor(key: "position", ascending: true)]
for book in try container.viewContext.fetch(request) {
    print(book.position, book.title ?? "nil", book.isbn ?? "nil")
}
