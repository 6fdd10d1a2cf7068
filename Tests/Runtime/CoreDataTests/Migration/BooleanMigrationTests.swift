import TestSupport
import Testing

@testable import CoreData

/// A Boolean that becomes an integer, which shipped apps migrate without a mapping model.
@Suite struct BooleanMigrationTests {
    private static func entity(_ type: String) -> String {
        "<entity name=\"Book\"><attribute name=\"isNew\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
    }

    @Test(arguments: ["Integer 16", "Integer 32", "Integer 64"])
    func booleansBecomeNumbers(_ type: String) throws {
        let fixture = try MigrationFixture(Self.entity("Boolean"))
        try fixture.fill { context in
            for value in [true, false, nil] {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(value, forKey: "isNew")
            }
        }
        try fixture.migrate(to: Self.entity(type)) { context in
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let values = books.map { $0.value(forKey: "isNew") as? Int }
            #expect(Set(values) == [1, 0, nil])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "isNew == 1")
            #expect(try context.count(for: request) == 1)
        }
    }
}
