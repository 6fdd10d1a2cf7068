import CoreData
import Foundation

// Stores for the tests of the studio's page, which generates SQLite stores with “modelc-store make”.

/// Performs “copy” or “history”.
func writeStudioStore(_ arguments: [String]) throws {
    guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: arguments[3])) else {
        return report("no model")
    }
    let isCopy = arguments[1] == "copy"
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: arguments[2]),
        options: [
            NSPersistentHistoryTrackingKey: !isCopy, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
        ])
    if isCopy {
        _ = try coordinator.migratePersistentStore(
            store, to: URL(fileURLWithPath: arguments[5]), options: nil, withType: arguments[4])
    } else {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try recordHistory(context) }
    }
}

/// Makes three transactions by two authors.
private func recordHistory(_ context: NSManagedObjectContext) throws {
    func save(as author: String) throws {
        context.transactionAuthor = author
        try context.save()
    }
    let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    author.setValue("Nobody", forKey: "name")
    let kept = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    kept.setValue("Somebody", forKey: "name")
    try save(as: "the app")
    author.setValue("No One", forKey: "name")
    try save(as: "the widget")
    context.delete(author)
    try save(as: "the app")
}
