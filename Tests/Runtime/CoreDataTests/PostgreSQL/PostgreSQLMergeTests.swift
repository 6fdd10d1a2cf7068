import CoreDataPostgreSQL
import Foundation
import PostgreSQLTestSupport
import RuntimeSupport
import Testing

@testable import CoreData

/// What contexts read when other programs have saved the same objects.
@Suite(.needsPostgreSQL) struct PostgreSQLMergeTests {
    /// Changed objects that another program has saved are read at once.
    @Test func roundTripsDoNotGrowWithTheNumberOfMergedObjects() throws {
        let stack = try PostgreSQLStack()
        let (context, other) = (try stack.context(), try stack.context())
        var counts: [[Int]] = []
        for count in [10, 20] {
            let books = try context.performAndWait {
                let books = (0..<count).map { context.make("Book", ["title": "\(count).\($0)"]) }
                try context.save()
                for book in books { book.setValue(1, forKey: "pages") }
                return books
            }
            try other.performAndWait {
                for book in try other.all("Book") where book.value(forKey: "price") == nil {
                    book.setValue(2, forKey: "price")
                }
                try other.save()
            }
            try context.performAndWait {
                let merging = try context.roundTrips {
                    NSManagedObjectContext.mergeChanges(
                        fromRemoteContextSave: [NSUpdatedObjectsKey: books.map(\.objectID)], into: [context])
                }
                #expect(books.allSatisfy { $0.value(forKey: "price") as? Double == 2 })
                let store = try #require(context.postgreSQL)
                try store.dropStaleRows(olderThan: 0)
                let refreshing = try context.roundTrips { context.refreshAllObjects() }
                #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == 1 && $0.hasChanges })
                counts.append([merging, refreshing])
                try context.save()
            }
        }
        #expect(counts[0] == counts[1] && counts[1].allSatisfy { $0 <= 2 }, "\(counts)")
    }

    /// Several changed objects are as new after a refresh as one, whatever rows are cached.
    @Test(arguments: [1, 2])
    func refreshedObjectsAreAsNewAsTheStalenessIntervalSays(count: Int) throws {
        let stack = try PostgreSQLStack()
        let (context, other) = (try stack.context(), try stack.context())
        context.stalenessInterval = 0
        let books = try context.performAndWait {
            let books = (0..<count).map { context.make("Book", ["title": "\($0)"]) }
            try context.save()
            for book in books { book.setValue(1, forKey: "pages") }
            return books
        }
        try other.performAndWait {
            for book in try other.all("Book") { book.setValue(2, forKey: "price") }
            try other.save()
        }
        context.performAndWait {
            context.refreshAllObjects()
            #expect(books.allSatisfy { $0.value(forKey: "price") as? Double == 2 })
            #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == 1 })
        }
    }

    /// The other side of one-to-one relationships that a policy has given to the store is read at once.
    @Test func roundTripsDoNotGrowWithTheNumberOfPairs() throws {
        let stack = try PostgreSQLStack()
        let (context, other) = (try stack.context(), try stack.context())
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        var counts: [Int] = []
        for count in [10, 20] {
            func books(_ context: NSManagedObjectContext, _ kind: String) throws -> [NSManagedObject] {
                try context.all("Book").filter {
                    ($0.value(forKey: "title") as? String)?.hasPrefix("\(count).\(kind)") == true
                }.sorted { ($0.value(forKey: "title") as? String ?? "") < ($1.value(forKey: "title") as? String ?? "") }
            }
            func pair(_ firsts: [NSManagedObject], _ sequels: [NSManagedObject]) {
                for (first, sequel) in zip(firsts, sequels) { first.setValue(sequel, forKey: "sequel") }
            }
            let firsts = try context.performAndWait {
                for kind in ["a", "b", "c"] {
                    for number in 0..<count { _ = context.make("Book", ["title": "\(count).\(kind)\(number)"]) }
                }
                try context.save()
                pair(try books(context, "a"), try books(context, "b"))
                return try books(context, "a")
            }
            try other.performAndWait {
                pair(try books(other, "c"), try books(other, "b"))
                try other.save()
            }
            try context.performAndWait {
                counts.append(try context.roundTrips { try context.save() })
                #expect(firsts.allSatisfy { $0.value(forKey: "sequel") == nil })
            }
        }
        let sides =
            "SELECT count(*)::text FROM coredata.\"Book\" a JOIN coredata.\"Book\" b ON a.sequel = b._pk AND b.prequel = a._pk"
        #expect(try stack.text(sides) == "30")
        #expect(try stack.text("SELECT count(sequel) || ' ' || count(prequel) FROM coredata.\"Book\"") == "30 30")
        #expect(counts[0] == counts[1], "\(counts)")
    }

    /// Reads go to a standby that has not received what the context knows.
    @Test func savesAreNotComparedWithAStandbyThatLagsBehind() throws {
        let main = try PostgreSQLStack()
        let writer = try main.context()
        let original = try writer.performAndWait {
            let book = writer.make("Book", ["title": "1"])
            try writer.save()
            return book
        }
        // A copy that stays behind.
        let standby = try PostgreSQLStack(main.model)
        try NSPersistentStoreCoordinator(managedObjectModel: main.model).replacePersistentStore(
            at: standby.url, withPersistentStoreFrom: main.url, ofType: NSPostgreSQLStoreType)
        let coordinator = try main.coordinator([NSPostgreSQLStandbyURLOption: standby.url])
        let context = try main.context(coordinator)
        let store = try #require(context.postgreSQL)
        let book = try context.performAndWait {
            let book = try #require(context.all("Book").first)
            book.setValue(10, forKey: "pages")
            return book
        }
        try writer.performAndWait {
            original.setValue("2", forKey: "title")
            try writer.save()
        }
        try context.performAndWait {
            #expect(nsError { try context.save() }?.code == NSManagedObjectMergeError)
            context.refresh(book, mergeChanges: true)
            #expect(book.value(forKey: "title") as? String == "2")
            try store.dropStaleRows(olderThan: 0)
            try context.save()
        }
        // Another context has read the old row.
        let reader = try main.context(coordinator)
        try reader.performAndWait {
            try store.dropStaleRows(olderThan: 0)
            #expect(try reader.all("Book").first?.value(forKey: "title") as? String == "1")
        }
        try context.performAndWait {
            book.setValue(11, forKey: "pages")
            try context.save()
        }
        #expect(try main.text("SELECT title || ' ' || pages FROM coredata.\"Book\"") == "2 11")
    }
}
