import CoreData
import Foundation
import Testing

@testable import StoreTools

/// Repairs in the history of a store are what Core Data writes if an app makes the same changes.
@Suite struct StoreRepairHistoryTests {
    private static let entities = """
        <entity name="Book" syncable="YES">
            <attribute name="isbn" optional="YES" attributeType="String" preserveAfterDeletion="YES"/>
            <attribute name="isRead" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
            <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" \
        inverseName="books" inverseEntity="Owner"/>
            <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf" \
        inverseName="books" inverseEntity="Shelf"/>
            <relationship name="tags" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="books" inverseEntity="Book"/>
        </entity>
        <entity name="Novel" parentEntity="Book" syncable="YES"/>
        <entity name="Owner" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="owner" inverseEntity="Book"/>
            <relationship name="notes" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Note"/>
        </entity>
        <entity name="Shelf" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="tags" inverseEntity="Book"/>
        </entity>
        <entity name="Note" syncable="YES">
            <attribute name="text" optional="YES" attributeType="String"/>
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book"/>
        </entity>
        """

    /// A store that keeps a history, with the keys of its objects.
    private final class Library {
        let scratch: StoreScratch
        let model: NSManagedObjectModel

        init() throws {
            scratch = try StoreScratch()
            try scratch.writeModel(StoreRepairHistoryTests.entities)
            model = try StoreDoctorTests.runtimeModel(try #require(try scratch.model()))
            try open("a.sqlite") { context in
                var objects: [String: NSManagedObject] = [:]
                // Each is saved by itself, so that the keys are those of the names.
                for name in [
                    "Owner/1", "Owner/2", "Shelf/1", "Shelf/2", "Tag/1", "Tag/2", "Tag/3", "Book/1", "Novel/2",
                    "Book/3",
                    "Note/1", "Note/2",
                ] {
                    let entity = String(name.prefix { $0 != "/" })
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                    objects[name] = object
                    if object.entity.propertiesByName["owner"] != nil {
                        object.setValue(objects["Owner/1"], forKey: "owner")
                    }
                    try context.save()
                }
                for (name, tags) in [
                    ("Book/1", ["Tag/1", "Tag/2"]), ("Novel/2", ["Tag/2", "Tag/3"]), ("Book/3", ["Tag/1"]),
                ] {
                    let book = try #require(objects[name])
                    book.setValue("isbn of \(name)", forKey: "isbn")
                    book.setValue(objects["Shelf/1"], forKey: "shelf")
                    book.setValue(NSOrderedSet(array: tags.compactMap { objects[$0] }), forKey: "tags")
                }
                objects["Owner/2"]?.setValue(
                    NSOrderedSet(array: ["Note/1", "Note/2"].compactMap { objects[$0] }), forKey: "notes")
                try context.save()
            }
        }

        func open(_ name: String, author: String = "setup", _ body: (NSManagedObjectContext) throws -> Void) throws {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: scratch.url(name),
                options: [NSPersistentHistoryTrackingKey: true])
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            context.transactionAuthor = author
            try body(context)
        }

        /// Makes changes as an app does.
        ///
        /// - Parameter body: Receives a function that returns the object with a name.
        func change(
            _ name: String, _ body: (NSManagedObjectContext, (String) throws -> NSManagedObject) throws -> Void
        ) throws {
            try open(name, author: "app") { context in
                try body(context) { object in
                    let parts = object.split(separator: "/")
                    let request = NSFetchRequest<NSManagedObject>(entityName: String(parts[0]))
                    return try #require(
                        try context.fetch(request).first {
                            $0.objectID.uriRepresentation().lastPathComponent == "p\(parts[1])"
                        })
                }
                try context.save()
            }
        }

        /// Returns the changes of the only transaction of an author: the names of changed properties, or `deleted` and
        /// the tombstone.
        func history(_ name: String, of author: String) throws -> [String: [String]] {
            var changes: [String: [String]] = [:]
            try open(name) { context in
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
                    .filter { $0.author == author }
                #expect(transactions.count <= 1)
                for change in transactions.first?.changes ?? [] {
                    let id = change.changedObjectID
                    let object = "\(id.entity.name ?? "")/\(id.uriRepresentation().lastPathComponent.dropFirst())"
                    #expect(changes[object] == nil, "\(object) is listed twice")
                    switch change.changeType {
                    case .update: changes[object] = change.updatedProperties?.map(\.name).sorted() ?? []
                    case .delete: changes[object] = ["deleted"] + (change.tombstone?.values.map { "\($0)" } ?? [])
                    default: changes[object] = ["inserted"]
                    }
                }
            }
            return changes
        }

        func copy(_ name: String) throws {
            try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url(name))
        }

        func repair(_ name: String, _ arguments: String...) {
            #expect(
                scratch.repair([name, "--in-place", "--no-backup"] + arguments) == 0,
                "\(scratch.output)\(scratch.errorOutput)")
        }
    }

    @Test func repairsAreRecordedAsASaveWouldRecordThem() throws {
        let library = try Library()
        try library.copy("b.sqlite")
        // An app deletes a tag and a novel, and changes a value.
        try library.change("b.sqlite") { context, object in
            context.delete(try object("Tag/1"))
            context.delete(try object("Novel/2"))
            try object("Book/1").setValue(true, forKey: "isRead")
        }
        // The faults whose repairs make the same changes.
        try library.scratch.execute(
            "DELETE FROM ZTAG WHERE Z_PK = 1; UPDATE ZBOOK SET ZISREAD = 7 WHERE Z_PK = 1; "
                + "UPDATE ZBOOK SET ZOWNER = 99 WHERE Z_PK = 2", in: "a.sqlite")
        library.repair("a.sqlite", "--unsafe-fixes")
        var expected = try library.history("b.sqlite", of: "app")
        #expect(expected["Book/1"] == ["isRead", "tags"])
        #expect(expected["Novel/2"] == ["deleted", "isbn of Novel/2"])
        #expect(expected["Shelf/1"] == ["books"])
        // The tag was gone before, and the novel had another owner.
        #expect(expected.removeValue(forKey: "Tag/1") == ["deleted"])
        #expect(expected.removeValue(forKey: "Owner/1") == ["books"])
        #expect(try library.history("a.sqlite", of: "modelc") == expected)
        #expect(library.scratch.check("a.sqlite", "--notes") == 0, "\(library.scratch.output)")
    }

    @Test func positionsAndPairsAreChangesOfTheirOwners() throws {
        let library = try Library()
        func texts(_ sql: String) throws -> [String] {
            try SeedDatabase(library.scratch.url("a.sqlite").path).texts(sql)
        }
        let join = try #require(
            try texts("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\__TAGS' ESCAPE '\\'").first)
        let order = try #require(
            try texts("SELECT name FROM pragma_table_info('\(join)') WHERE name LIKE 'Z\\_FOK%' ESCAPE '\\'").first)
        let notes = try texts("SELECT name FROM pragma_table_info('ZNOTE') WHERE name LIKE '%NOTES' ORDER BY 1")
        let position = try #require(notes.first { $0.hasPrefix("Z_FOK") })
        // Positions of a pair, of a book on its shelf, and of a note of an owner; and a note's book.
        try library.scratch.execute(
            """
            UPDATE \(join) SET \(order) = NULL WHERE rowid = (SELECT min(rowid) FROM \(join)); \
            UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = 3; \
            UPDATE ZNOTE SET \(position) = NULL WHERE Z_PK = 1; \
            UPDATE ZNOTE SET ZBOOK = 99 WHERE Z_PK = 2
            """, in: "a.sqlite")
        library.repair("a.sqlite")
        #expect(
            try library.history("a.sqlite", of: "modelc") == [
                "Book/1": ["tags"], "Shelf/1": ["books"], "Owner/2": ["notes"], "Note/2": ["book"],
            ])
        #expect(library.scratch.check("a.sqlite", "--notes") == 0, "\(library.scratch.output)")
        // Repairs of the description of the store are no changes of objects.
        try library.scratch.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Book'", in: "a.sqlite")
        library.repair("a.sqlite")
        let authors = "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = 'modelc'"
        #expect(try texts("SELECT count(*) FROM ATRANSACTION WHERE ZAUTHORTS IN (\(authors))") == ["1"])
    }

    /// A repair can change a value of an object that another repair deletes: the tombstone has the value that the app
    /// saved.
    @Test func tombstonesHaveTheSavedValues() throws {
        let library = try Library()
        try library.scratch.execute(
            "UPDATE ZBOOK SET ZISBN = x'616263', ZSHELF = 99 WHERE Z_PK = 3; UPDATE ZBOOK SET ZOWNER = NULL WHERE Z_PK = 3",
            in: "a.sqlite")
        library.repair("a.sqlite", "--unsafe-fixes")
        let history = try library.history("a.sqlite", of: "modelc")
        #expect(history.keys.sorted() == ["Book/3", "Tag/1"])
        #expect(history["Tag/1"] == ["books"])
        #expect(history["Book/3"]?.first == "deleted")
    }

    /// Apple's stores have no rows for the entities of the history before its first change.
    @Test func lastNumbersAreKeptWithoutRowsOfTheirEntities() throws {
        let library = try Library()
        try library.copy("b.sqlite")
        for name in ["a.sqlite", "b.sqlite"] {
            try library.scratch.execute(
                "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING; "
                    + "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", in: name)
        }
        try library.scratch.execute("UPDATE ZBOOK SET ZISREAD = 7 WHERE Z_PK = 1", in: "a.sqlite")
        library.repair("a.sqlite", "--unsafe-fixes")
        try library.change("b.sqlite") { _, object in try object("Book/1").setValue(true, forKey: "isRead") }
        for name in ["a.sqlite", "b.sqlite"] {
            let database = try SeedDatabase(library.scratch.url(name).path)
            #expect(
                try database.texts(
                    "SELECT Z_NAME || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002) ORDER BY Z_ENT")
                    == ["CHANGE1", "TRANSACTION1"], "\(name)")
        }
    }

    /// Numbers after which there are no others are damage, not a reason to stop.
    @Test func aHistoryWithoutFreeNumbersIsLeft() throws {
        let library = try Library()
        try library.scratch.execute(
            "UPDATE ZBOOK SET ZISREAD = 7 WHERE Z_PK = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT = 16002",
            in: "a.sqlite")
        library.repair("a.sqlite", "--unsafe-fixes")
        #expect(try library.history("a.sqlite", of: "modelc").isEmpty)
        #expect(throws: (any Error).self) {
            try library.change("a.sqlite") { _, object in try object("Book/1").setValue(false, forKey: "isRead") }
        }
    }
}
