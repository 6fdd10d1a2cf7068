import CoreData
import Testing

/// A book that counts how often values are loaded.
final class LoadedBook: NSManagedObject {
    @TaskLocal static var loads = Recorder<Void>()

    override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.loads.values.append(())
    }
}

/// Numbers and IDs of results in contexts with unsaved changes.
@Suite(.overAllStores) struct UnsavedKeyTests {
    private func request(_ format: String, _ limit: Int = 0, _ offset: Int = 0) -> NSFetchRequest<NSManagedObjectID> {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.resultType = .managedObjectIDResultType
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        return request
    }

    /// A context with 30 saved books, of which it has changed one and deleted another, and one that is new.
    private struct Edited {
        let context: NSManagedObjectContext
        let objects: [NSManagedObject]

        init() throws {
            let writer = try Library.context()
            for pages in 0..<30 { _ = writer.make("Book", ["pages": pages]) }
            try writer.save()
            context = try Library.context(writer.persistentStoreCoordinator)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages IN {10, 11}")
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
            let held = try context.fetch(request)
            held[0].setValue(100, forKey: "pages")
            context.delete(held[1])
            objects = held + [context.make("Book", ["pages": 50])]
        }

        /// Returns a child that has changed one of the objects, deleted the new one and inserted another.
        func child() -> (NSManagedObjectContext, [NSManagedObject]) {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            let changed = child.object(with: objects[0].objectID)
            changed.setValue(5, forKey: "pages")
            let deleted = child.object(with: objects[2].objectID)
            child.delete(deleted)
            return (child, [changed, deleted, child.make("Book", ["pages": 60])])
        }
    }

    private func check(
        _ context: NSManagedObjectContext, _ format: String, _ expected: Int, own: Int, _ comment: String
    ) throws {
        let detail: Comment = "\(StoreKind.current), \(comment): \(format)"
        #expect(try context.count(for: request(format)) == expected, detail)
        #expect(try context.count(for: request(format, 5)) == min(5, expected), detail)
        #expect(try context.count(for: request(format, 5, expected - 2)) == 2, detail)
        #expect(try context.count(for: request(format, 0, expected + 1)) == 0, detail)
        let ids = try context.fetch(request(format))
        #expect(Set(ids).count == expected && ids.count == expected, detail)
        #expect(try context.fetch(request(format, 4, 3)).count == 4, detail)
        // Only what has changed is registered.
        #expect(context.registeredObjects.count <= own, detail)
        let objects = NSFetchRequest<NSManagedObject>(entityName: "Book")
        objects.predicate = NSPredicate(format: format)
        #expect(Set(try context.fetch(objects).map(\.objectID)) == Set(ids), detail)
    }

    @Test func numbersAndIDsNeedNoObjects() throws {
        let edited = try Edited()
        try withExtendedLifetime(edited.objects) {
            try check(edited.context, "pages >= 10", 20, own: 3, "context")
        }
    }

    @Test func childrenAskTheirParentsForNumbersAndIDs() throws {
        let edited = try Edited()
        let (child, objects) = edited.child()
        try withExtendedLifetime((edited.objects, objects)) {
            // Without the one changed to 5 and the deleted ones.
            try check(child, "pages >= 10", 19, own: 3, "child")
        }
        let other = try Edited()
        let (grandparent, changed) = other.child()
        let last = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        last.parent = grandparent
        let gone = last.object(with: changed[2].objectID)
        last.delete(gone)
        try withExtendedLifetime((other.objects, changed, gone)) {
            try check(last, "pages >= 10", 18, own: 1, "grandchild")
            // The contexts above have not loaded anything either.
            #expect(other.context.count(registeredBelow: 4))
        }
    }

    @Test func sortedIDsIncludeUnsavedObjectsInOrder() throws {
        let edited = try Edited()
        try withExtendedLifetime(edited.objects) {
            for (format, offset) in [("pages < 30", 20), ("pages >= 10", 18)] {
                let sorted = request(format, 2, offset)
                sorted.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
                let pages = try edited.context.fetch(sorted).map {
                    edited.context.object(with: $0).value(forKey: "pages") as? Int
                }
                #expect(pages == (offset == 20 ? [22, 23] : [50, 100]), "\(StoreKind.current)")
            }
        }
    }

    /// The positions of unsaved objects among many saved ones are found with few of them.
    @Test func sortedIDsLoadFewObjects() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(LoadedBook.self)
        let writer = try Library.context(try Library.coordinator(model))
        for pages in 0..<500 { _ = writer.make("Book", ["pages": pages / 2, "title": "\(pages % 2)"]) }
        try writer.save()
        let context = try Library.context(writer.persistentStoreCoordinator)
        let new = [77, 200, -1, 300, 77].map { context.make("Book", ["pages": $0, "title": "1"]) }
        for isAscending in [true, false] {
            let sorted = request("pages < 1000")
            sorted.sortDescriptors = [
                NSSortDescriptor(key: "pages", ascending: isAscending), NSSortDescriptor(key: "title", ascending: true),
            ]
            let loads = Recorder<Void>()
            let ids = try LoadedBook.$loads.withValue(loads) { try context.fetch(sorted) }
            // A binary search for each.
            #expect(loads.values.count <= new.count * 9)
            let objects = NSFetchRequest<NSManagedObject>(entityName: "Book")
            objects.sortDescriptors = sorted.sortDescriptors
            let expected = try context.fetch(objects)
            #expect(Set(ids).count == 505)
            // Equal objects have no order.
            let values = ids.map { context.object(with: $0).value(forKey: "pages") as? Int }
            #expect(values == expected.map { $0.value(forKey: "pages") as? Int })
        }
    }

    @Test func severalStoresAddUp() throws {
        let coordinator = try Library.coordinator()
        let second = try StoreKind.add(to: coordinator)
        let context = try Library.context(coordinator)
        for pages in 0..<10 {
            let book = context.make("Book", ["pages": pages])
            if pages >= 4 { context.assign(book, to: second) }
        }
        try context.save()
        let book = try #require(try context.all("Book", by: "pages").last)
        book.setValue(-1, forKey: "pages")
        #expect(try context.count(for: request("pages >= 2")) == 7)
        #expect(try context.count(for: request("pages >= 2", 3, 5)) == 2)
        #expect(try context.fetch(request("pages >= 2")).count == 7)
        let limited = request("pages >= 2")
        limited.affectedStores = [second]
        #expect(try context.count(for: limited) == 5)
    }
}

extension NSManagedObjectContext {
    fileprivate func count(registeredBelow limit: Int) -> Bool { performAndWait { registeredObjects.count < limit } }
}
