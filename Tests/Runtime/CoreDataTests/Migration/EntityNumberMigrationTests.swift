import TestSupport
import Testing

@testable import CoreData

/// Rows whose `Z_ENT` is not the number of their entity, which real stores have and Apple's framework keeps.
@Suite struct EntityNumberMigrationTests {
    private static let book = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>\
        <attribute name="pages" optional="YES" attributeType="Integer 32"/></entity>
        """
    private static let rebuilt = """
        <entity name="Annex"/><entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>\
        <attribute name="pages" optional="YES" attributeType="Double"/></entity>
        """
    private static let extended = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>\
        <attribute name="pages" optional="YES" attributeType="Integer 32"/></entity>\
        <entity name="Novel" parentEntity="Book"/>
        """

    /// Books 1 to 3, of which book 2 has the given number, and a last key that is too small.
    private func makeStore(_ entities: String, number: Int?) throws -> MigrationFixture {
        let fixture = try MigrationFixture(entities)
        try fixture.fill { context in
            for title in ["one", "two", "three"] {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
            }
        }
        let database = try fixture.store.database()
        try database.run("UPDATE ZBOOK SET Z_ENT = \(number.map(String.init) ?? "NULL") WHERE ZTITLE = 'two'")
        try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        fixture.store.isSound = false
        return fixture
    }

    /// The number of a row in a table with one entity does not matter.
    @Test(arguments: [7, nil]) func predicatesIgnoreTheNumber(_ number: Int?) throws {
        let fixture = try makeStore(Self.book, number: number)
        let context = try fixture.store.open()
        try context.performAndWait {
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
            for (predicate, expected) in [("entity.name == 'Book'", 3), ("entity.name != 'Book'", 0)] {
                fetch.predicate = NSPredicate(format: predicate)
                let count = try context.count(for: fetch)
                #expect(count == expected)
            }
        }
    }

    @Test(arguments: [rebuilt, extended], [7, 2, nil])
    func rowsOfATableWithOneEntityAreKept(_ destination: String, _ number: Int?) throws {
        let fixture = try makeStore(Self.book, number: number)
        try fixture.migrate(to: destination) { context in
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            #expect(Set(books.map { $0.value(forKey: "title") as? String }) == ["one", "two", "three"])
            #expect(books.allSatisfy { $0.entity.name == "Book" })
            // New keys are above those in the file.
            _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            try context.save()
        }
        let database = try fixture.store.database()
        #expect(try database.rows("SELECT count(*), max(Z_PK), count(DISTINCT Z_ENT) FROM ZBOOK") == [["4", "4", "1"]])
        #expect(try database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == [["4"]])
    }

    /// Which of several entities such a row belongs to is unknown, so that the migration fails and changes nothing.
    @Test func rowsOfATableWithSeveralEntitiesStopTheMigration() throws {
        let fixture = try makeStore(Self.extended, number: 7)
        let error = nsError {
            try fixture.migrate(
                to: "<entity name=\"Annex\"/>" + Self.extended.replacing("Integer 32", with: "Double")
            ) { _ in }
        }
        #expect(error?.code == 134110)
        let text = "\(error?.userInfo ?? [:])"
        #expect(text.contains("1 row of “Book”"))
        #expect(try fixture.store.database().rows("SELECT count(*) FROM ZBOOK WHERE Z_ENT = 7") == [["1"]])
    }
}
