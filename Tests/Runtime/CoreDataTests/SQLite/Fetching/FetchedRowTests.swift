import Foundation
import Testing

@testable import CoreData

/// A fetch caches rows for faults, which take them over when used, unless something was saved in the meantime.
@Suite struct FetchedRowTests {
    private func filled() throws -> (TestStore, NSManagedObjectContext, NSManagedObjectContext) {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            for number in 0..<40 { _ = context.make("Author", ["name": "author \(number)", "age": number]) }
            try context.save()
        }
        // Another program with empty caches, and a second context of it.
        let other = try store.open()
        let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        second.persistentStoreCoordinator = other.persistentStoreCoordinator
        return (store, other, second)
    }

    private func authors(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        return try context.fetch(request)
    }

    @Test func faultsAdoptTheFetchedRow() throws {
        let (store, context, _) = try filled()
        try context.performAndWait {
            let found = try authors(context)
            #expect(found.count == 40 && found.allSatisfy(\.isFault))
            // After a change that bypasses the program, objects get the rows found by the fetch.
            try store.database().run("UPDATE ZAUTHOR SET ZNAME = 'changed'")
            #expect(found[7].value(forKey: "name") as? String == "author 7" && !found[7].isFault)
            #expect(found[8].isFault)
        }
    }

    @Test func laterSavesReplaceFetchedRows() throws {
        let (store, context, second) = try filled()
        defer { withExtendedLifetime(store) {} }
        let found = try context.performAndWait { try authors(context) }
        try second.performAndWait {
            let same = try authors(second)
            same[3].setValue("new", forKey: "name")
            second.delete(same[4])
            try second.save()
        }
        context.performAndWait {
            #expect(found[3].value(forKey: "name") as? String == "new")
            #expect(found[5].value(forKey: "name") as? String == "author 5")
            // Its row was deleted.
            #expect(found[4].value(forKey: "name") == nil && found[4].isDeleted)
        }
    }

    @Test func laterBatchesReplaceFetchedRows() throws {
        let (store, context, second) = try filled()
        defer { withExtendedLifetime(store) {} }
        let found = try context.performAndWait { try authors(context) }
        try second.performAndWait {
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["name": "all"]
            _ = try second.execute(update)
        }
        context.performAndWait { #expect(found[3].value(forKey: "name") as? String == "all") }
    }

    @Test func pinnedContextsKeepTheirRows() throws {
        let (store, context, second) = try filled()
        defer { withExtendedLifetime(store) {} }
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            let found = try authors(context)
            try second.performAndWait {
                try authors(second)[3].setValue("new", forKey: "name")
                try second.save()
            }
            #expect(found[3].value(forKey: "name") as? String == "author 3")
            context.refresh(found[3], mergeChanges: false)
            #expect(found[3].value(forKey: "name") as? String == "author 3")
        }
    }

    /// Objects read the values in their rows in place until they have their own values.
    @Test func rowsNeverChange() throws {
        let (store, context, second) = try filled()
        defer { withExtendedLifetime(store) {} }
        try context.performAndWait {
            let author = try authors(context)[3]
            let same = try second.performAndWait { try authors(second)[3] }
            author.setValue("mine", forKey: "name")
            author.setPrimitiveValue(99, forKey: "age")
            second.performAndWait {
                #expect(same.value(forKey: "name") as? String == "author 3" && same.value(forKey: "age") as? Int == 3)
            }
            #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "author 3")
            context.rollback()
            #expect(author.value(forKey: "name") as? String == "author 3" && author.value(forKey: "age") as? Int == 3)
        }
    }

    /// IDs are created on demand, on any thread.
    @Test func threadsCreateOneIDPerObject() throws {
        let (store, context, _) = try filled()
        defer { withExtendedLifetime(store) {} }
        let found = try context.performAndWait { try authors(context) }
        for author in found {
            let made = IDs()
            // Apple's documentation allows that.
            nonisolated(unsafe) let shared = author
            DispatchQueue.concurrentPerform(iterations: 8) { _ in made.add(shared.objectID) }
            #expect(made.all.count == 8 && made.all.allSatisfy { $0 === author.objectID })
            #expect(context.performAndWait { context.registeredObject(for: author.objectID) } === author)
        }
    }

    private final class IDs: @unchecked Sendable {
        private let lock = NSLock()
        private(set) var all: [NSManagedObjectID] = []

        func add(_ id: NSManagedObjectID) { lock.withLock { all.append(id) } }
    }
}
