import CoreData
import Testing

/// One file used by many contexts on many threads, several coordinators and several processes. Also run with the thread
/// sanitizer: `swift test --sanitize=thread --scratch-path .build-tsan --filter SQLiteConcurrencyTests`.
@Suite(.timeLimit(.minutes(5))) struct SQLiteConcurrencyTests {
    private static var options: [AnyHashable: Any] {
        [
            NSPersistentStoreTimeoutOption: 60, NSPersistentHistoryTrackingKey: true,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Every increment counts, whichever thread or program makes it.
    @Test func noIncrementIsLost() async throws {
        let store = try TestStore()
        try WriterProcess.fill(store)
        let model = try WriterProcess.model(of: store.url, in: store.folder)
        let coordinators = try (0..<2).map { _ in
            // There is no history, since the other programs do not maintain it.
            try #require(
                try store.open([NSPersistentStoreTimeoutOption: 60], model: model).persistentStoreCoordinator)
        }
        let first = Self.context(coordinators[0])
        try first.performAndWait {
            first.make("Counter").setValue(0, forKey: "value")
            try first.save()
        }
        let writers = try (0..<2).map { _ in try WriterProcess("count", store.url.path, "20") }
        await onThreads(6) { number in
            let context = Self.context(coordinators[number % 2])
            #expect(throws: Never.self) { try context.performAndWait { try Self.count(10, in: context) } }
        }
        for writer in writers { #expect(writer.finish().code == 0) }
        #expect(try store.database().rows("SELECT ZVALUE FROM ZCOUNTER") == [["100"]])
    }

    /// Increments the counter a number of times; a save that conflicts with another is retried.
    private static func count(_ times: Int, in context: NSManagedObjectContext) throws {
        var left = times
        while left > 0 {
            let counter = try #require(try context.all("Counter").first)
            context.refresh(counter, mergeChanges: false)
            counter.setValue((counter.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
            do {
                try context.save()
                left -= 1
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                context.reset()
            }
        }
    }

    /// Writers insert and delete owners with five members each; a pinned reader sees each owner with all of them, for
    /// every way to read rows.
    @Test func readersSeeWholeSaves() async throws {
        let model = Library.model(booksRule: .cascadeDeleteRule)
        model.entitiesByName["Book"]?.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        let store = try TestStore(model)
        let coordinators = try (0..<2).map { _ in
            try #require(try store.open(Self.options).persistentStoreCoordinator)
        }
        await onThreads(6) { number in
            let context = Self.context(coordinators[number % 2])
            #expect(throws: Never.self) {
                for round in 0..<12 {
                    try context.performAndWait {
                        if number < 4 {
                            try Self.write(number, round, context)
                        } else {
                            try Self.read(context, way: number + round)
                        }
                    }
                }
            }
        }
        let context = Self.context(coordinators[1])
        try context.performAndWait { try Self.read(context, way: 0) }
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
        // Four writers have inserted twelve owners each, and deleted every other one.
        #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["24"]])
        #expect(try store.database().rows("SELECT count(*) FROM ZBOOK") == [["120"]])
    }

    private static func write(_ number: Int, _ round: Int, _ context: NSManagedObjectContext) throws {
        let author = context.make("Author", ["name": "\(number)", "age": round])
        for index in 0..<5 {
            let size = index == 0 && round % 4 == 0 ? 110_000 : 10
            _ = context.make("Book", ["author": author, "title": "\(round)", "data": Data(count: size)])
        }
        try context.save()
        guard round % 2 == 1 else { return }
        context.delete(author)
        try context.save()
    }

    /// - Parameter way: The way in which the relationship is read.
    private static func read(_ context: NSManagedObjectContext, way: Int) throws {
        try context.setQueryGenerationFrom(.current)
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        switch way % 3 {
        case 0: request.relationshipKeyPathsForPrefetching = ["books"]
        case 1: request.fetchBatchSize = 7
        default: break
        }
        for author in try context.fetch(request) {
            #expect(author.names("books").count == 5)
            for case let book as NSManagedObject in author.value(forKey: "books") as? NSSet ?? NSSet() {
                #expect((book.value(forKey: "data") as? Data)?.isEmpty == false)
            }
        }
        let count = NSFetchRequest<NSManagedObject>(entityName: "Book")
        count.predicate = NSPredicate(format: "author.age >= 0 AND title BEGINSWITH[c] ''")
        #expect(try context.count(for: count) % 5 == 0)
        try context.setQueryGenerationFrom(nil)
    }
}
