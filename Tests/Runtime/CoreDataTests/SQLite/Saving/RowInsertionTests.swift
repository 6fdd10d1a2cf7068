import CoreData
import Testing

/// Inserting rows without objects.
@Suite struct RowInsertionTests {
    /// Inserts a shelf, an author, tags and books with all kinds of relationships.
    private func insert(_ rows: RowInsertion) throws {
        let authors = try rows.table("Author", properties: ["name", "age"])
        let shelves = try rows.table("Shelf", properties: [])
        let tags = try rows.table("Tag", properties: ["name"])
        let books = try rows.table("Book", properties: ["title", "pages", "author", "shelf"])
        let novels = try rows.table("Novel", properties: ["title", "author"])
        let author = try authors.insert(["x", 10])
        let shelf = try shelves.insert([])
        let labels = try ["a", "b"].map { try tags.insert([$0]) }
        for index in 0..<3 {
            let book = try books.insert(["\(index)", index, author, shelf])
            try rows.add(labels, to: "tags", of: book)
        }
        try novels.insert([nil, author])
    }

    private func open(_ store: TestStore) throws -> (NSManagedObjectContext, NSPersistentStore) {
        let context = try store.open()
        return (context, try #require(context.persistentStoreCoordinator?.persistentStores.first))
    }

    @Test func insertedRowsAreObjects() throws {
        let store = try TestStore()
        let (context, persistent) = try open(store)
        try context.persistentStoreCoordinator?.insertRows(into: persistent, insert)
        try context.performAndWait {
            let author = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
            #expect(author.value(forKey: "name") as? String == "x" && author.value(forKey: "age") as? Int == 10)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 4)
            let shelf = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
            let volumes = try #require(shelf.value(forKey: "volumes") as? NSOrderedSet)
            #expect(
                volumes.array.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["0", "1", "2"])
            let tags = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
            #expect(tags.map { ($0.value(forKey: "books") as? NSSet)?.count } == [3, 3])
            // A new object gets the next key, and other attributes have their defaults.
            let book = context.make("Book", ["title": "later"])
            try context.save()
            #expect(book.objectID.uriRepresentation().lastPathComponent == "p5")
            #expect((volumes.firstObject as? NSManagedObject)?.value(forKey: "isNew") as? Bool == true)
        }
        #expect(try store.database().rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM ZBOOK WHERE Z_PK > 2").count == 3)
    }

    @Test func reservedRowsReferToLaterRows() throws {
        let store = try TestStore()
        let (context, persistent) = try open(store)
        try context.persistentStoreCoordinator?.insertRows(into: persistent) { rows in
            let authors = try rows.table("Author", properties: ["name"])
            let books = try rows.table("Book", properties: ["title", "author"])
            let (ids, owner) = (try books.reserve(2), try #require(try authors.reserve(1).first))
            for (index, id) in ids.enumerated().reversed() { try books.insert(["\(index)", owner], as: id) }
            try authors.insert(["x"], as: owner)
            #expect(throws: (any Error).self) { try books.insert(["y", nil], as: owner) }
        }
        #expect(
            try store.database().rows("SELECT Z_PK, ZTITLE, ZAUTHOR FROM ZBOOK ORDER BY 1") == [
                ["1", "0", "1"], ["2", "1", "1"],
            ])
    }

    @Test func anErrorLeavesTheStoreUnchanged() throws {
        let store = try TestStore()
        let (context, persistent) = try open(store)
        let error = nsError {
            try context.persistentStoreCoordinator?.insertRows(into: persistent) { rows in
                try insert(rows)
                try rows.table("Book", properties: ["pages"]).insert(["not a number"])
            }
        }
        #expect(error?.code == CocoaError.Code.persistentStoreSave.rawValue)
        #expect(try store.database().rows("SELECT count(*) FROM ZBOOK") == [["0"]])
        #expect(throws: (any Error).self) {
            try context.persistentStoreCoordinator?.insertRows(into: persistent) { rows in
                _ = try rows.table("Book", properties: ["tags"])
            }
        }
    }
}
