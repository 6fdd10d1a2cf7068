import CoreData

/// Migrates books: an expression of the mapping model calls `isbn(of:)` by its selector.
class BookPolicy: NSEntityMigrationPolicy {
    private var count = 0

    @objc func isbn(of title: String?) throws -> String? { title.map { "isbn of \($0)" } }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        count += 1
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        for book in made { book.setValue(count, forKey: "position") }
    }
}
