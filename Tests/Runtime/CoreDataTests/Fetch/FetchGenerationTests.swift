import CoreData
import Testing

/// Fetches in the background and in child contexts read what their context reads.
@Suite struct FetchGenerationTests {
    /// An asynchronous fetch applies the whole request, like a synchronous one.
    @Test func prefetchingAndGenerationsApply() async throws {
        let store = try TestStore()
        let context = try store.open()
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        try other.performAndWait {
            let author = other.make("Author", ["name": "old", "age": 1])
            _ = other.make("Book", ["title": "t", "author": author])
            try other.save()
        }
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
        }
        try other.performAndWait {
            _ = other.make("Author", ["name": "new", "age": 2])
            try other.save()
        }
        let found = await withCheckedContinuation { continuation in
            context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.relationshipKeyPathsForPrefetching = ["books"]
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    continuation.resume(
                        returning: (result.finalResult ?? []).map {
                            "\($0.value(forKey: "name") ?? "") \($0.hasFault(forRelationshipNamed: "books"))"
                        })
                }
                _ = try? context.execute(asynchronous)
            }
        }
        #expect(found == ["old false"])
        try TestStore.close(context)
    }

    /// Dictionaries of a child are those of the generation of its root.
    @Test func dictionariesOfAChildReadTheGenerationOfItsParent() throws {
        let store = try TestStore()
        let parent = try store.open()
        let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        writer.persistentStoreCoordinator = parent.persistentStoreCoordinator
        try writer.performAndWait {
            _ = writer.make("Author", ["name": "old"])
            try writer.save()
        }
        try parent.performAndWait {
            try parent.setQueryGenerationFrom(.current)
            _ = try parent.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
        }
        try writer.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            try writer.fetch(request).first?.setValue("changed", forKey: "name")
            try writer.save()
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let names = try child.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: "Author")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name"]
            return try child.fetch(request).map { $0["name"] as? String }
        }
        #expect(names == ["old"])
        try TestStore.close(parent)
    }
}
