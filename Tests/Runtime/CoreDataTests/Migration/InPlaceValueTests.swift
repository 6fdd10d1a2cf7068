import TestSupport
import Testing

@testable import CoreData

/// Values and links that an in-place migration changes.
@Suite struct InPlaceValueTests {
    private func attribute(_ name: String, _ type: String, _ more: String = "") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(more)/>"
    }

    /// A number that becomes Float is stored as a save would store it, so that predicates find it.
    @Test func numbersThatBecomeFloatAreRounded() throws {
        let fixture = try MigrationFixture("<entity name=\"E\">\(attribute("x", "Double"))</entity>")
        try fixture.fill { context in
            NSEntityDescription.insertNewObject(forEntityName: "E", into: context).setValue(0.1, forKey: "x")
        }
        try fixture.migrate(to: "<entity name=\"E\">\(attribute("x", "Float"))</entity>") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "E")
            request.predicate = NSPredicate(format: "x == %@", NSNumber(value: Float(0.1)))
            let count = try context.count(for: request)
            #expect(count == 1)
        }
    }

    /// Two rows exchange values that must be unique: in the end, no two are equal.
    @Test func attributesWithAConstraintExchangeTheirNames() throws {
        let unique =
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>"
        let fixture = try MigrationFixture(
            "<entity name=\"E\">\(attribute("x", "String"))\(attribute("y", "String"))\(unique)</entity>")
        try fixture.fill { context in
            for (x, y) in [("a", "b"), ("b", "a")] {
                let object = NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
                object.setValue(x, forKey: "x")
                object.setValue(y, forKey: "y")
            }
        }
        let new = attribute("x", "String", "elementID=\"y\"") + attribute("y", "String", "elementID=\"x\"")
        try fixture.migrate(to: "<entity name=\"E\">\(new)\(attribute("z", "String"))\(unique)</entity>") { context in
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "E"))
            let pairs = objects.map { "\($0.value(forKey: "x") ?? "")\($0.value(forKey: "y") ?? "")" }
            #expect(Set(pairs) == ["ab", "ba"])
        }
    }

    /// A one-to-one relationship holds one pair; the other books lose the account.
    @Test func aNewInverseOfAToOneRelationshipIsInStep() throws {
        let old = """
            <entity name="Account"/><entity name="Book">\
            <relationship name="account" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Account"/></entity>
            """
        let new = """
            <entity name="Account"><relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Book" inverseName="account" inverseEntity="Book"/></entity><entity name="Book">\
            <relationship name="account" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Account" \
            inverseName="book" inverseEntity="Account"/></entity>
            """
        let fixture = try MigrationFixture(old)
        try fixture.fill { context in
            let account = NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
            for _ in 0..<3 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(account, forKey: "account")
            }
        }
        try fixture.migrate(to: new) { context in
            let account = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Account")).first)
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let owned = books.filter { $0.value(forKey: "account") != nil }
            #expect(books.count == 3 && owned.count == 1)
            #expect(account.value(forKey: "book") as? NSManagedObject === owned.first)
        }
    }
}
