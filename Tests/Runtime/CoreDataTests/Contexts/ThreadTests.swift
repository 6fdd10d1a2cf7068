import CoreData
import Testing

/// Contexts on several threads. Also run with the thread sanitizer: `swift test --sanitize=thread --scratch-path
/// .build-tsan --filter ThreadTests`.
@Suite(.overAllStores) struct ThreadTests {
    private static let threads = 8
    private static let rounds = 25

    private static func age(_ object: NSManagedObject) -> Int { object.value(forKey: "age") as? Int ?? 0 }

    private static func count(_ coordinator: NSPersistentStoreCoordinator, _ entity: String) throws -> Int {
        let context = try Library.context(coordinator)
        return try context.performAndWait { try context.all(entity).count }
    }

    // MARK: perform and performAndWait

    @Test func performAndWaitSerializesThreads() async throws {
        let context = try Library.context()
        let author = UncheckedBox(context.performAndWait { context.make("Author", ["age": 0]) })
        await onThreads(Self.threads) { _ in
            for _ in 0..<Self.rounds {
                context.performAndWait {
                    author.value.setValue(Self.age(author.value) + 1, forKey: "age")
                }
            }
        }
        let total = context.performAndWait { Self.age(author.value) }
        #expect(total == Self.threads * Self.rounds)
    }

    @Test func performSerializesBlocks() async throws {
        let context = try Library.context()
        await onThreads(Self.threads) { number in
            for round in 0..<Self.rounds {
                context.perform { _ = context.make("Author", ["age": number * 1000 + round]) }
            }
        }
        // Blocks run in the order in which they are enqueued.
        let count = try await context.perform(schedule: .enqueued) {
            try context.save()
            return try context.all("Author").count
        }
        #expect(count == Self.threads * Self.rounds)
    }

    /// Calls can be nested, even through other contexts that wait.
    @Test func blocksCanBeNested() throws {
        let parent = try Library.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let sibling = try Library.context(parent.persistentStoreCoordinator)
        let order = Recorder<Int>()
        child.performAndWait {
            order.values.append(1)
            child.performAndWait { order.values.append(2) }
            parent.performAndWait {
                sibling.performAndWait {
                    child.performAndWait { order.values.append(3) }
                    parent.performAndWait { order.values.append(4) }
                }
            }
            child.perform { order.values.append(6) }
            order.values.append(5)
        }
        child.performAndWait {}
        #expect(order.values == [1, 2, 3, 4, 5, 6])
    }

    /// An observer of the parent accesses the child that is saving.
    @Test func observersCanUseTheSavingContext() throws {
        let parent = try Library.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let seen = Recorder<Int>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: parent, queue: nil
        ) { _ in child.performAndWait { seen.values.append(child.registeredObjects.count) } }
        defer { NotificationCenter.default.removeObserver(token) }
        try child.performAndWait {
            _ = child.make("Author")
            try child.save()
        }
        #expect(seen.values == [1])
    }

    /// `perform` processes changes when the block ends; a nested `performAndWait` does not.
    @Test func performProcessesChangesAtItsEnd() async throws {
        let context = try Library.context()
        let posts = Recorder<Int>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { note in posts.values.append((note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0) }
        defer { NotificationCenter.default.removeObserver(token) }
        await context.perform {
            _ = context.make("Author")
            _ = context.make("Author")
        }
        #expect(posts.values == [2])
        context.performAndWait { _ = context.make("Author") }
        #expect(posts.values == [2, 1])
    }

    @Test func asyncPerformReturnsAndThrows() async throws {
        struct Failure: Error {}
        let context = try Library.context()
        #expect(await context.perform { 7 } == 7)
        #expect(await context.perform(schedule: .enqueued) { 8 } == 8)
        await #expect(throws: Failure.self) { try await context.perform { throw Failure() } }
        await #expect(throws: Failure.self) { try await context.perform(schedule: .enqueued) { throw Failure() } }
        let name = context.performAndWait { "result" }
        #expect(name == "result")
        #expect(throws: Failure.self) { try context.performAndWait { throw Failure() } }
    }

    @MainActor @Test func mainQueueContextsRunOnTheMainQueue() async throws {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try Library.coordinator()
        _ = context.make("Author")
        context.performAndWait { _ = context.make("Author") }
        await context.perform { @Sendable in _ = context.make("Author") }
        let other = await Task.detached { () -> Int in
            await context.perform {
                dispatchPrecondition(condition: .onQueue(.main))
                return context.insertedObjects.count
            }
        }.value
        #expect(other == 3)
    }

    /// On the main queue, changes are processed and undo groups are closed at the end of the event
    /// (UndoManager.groupsByEvent).
    @MainActor @Test func mainQueueEventsProcessChangesAndCloseUndoGroups() async throws {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try Library.coordinator()
        let manager = UndoManager()
        context.undoManager = manager
        let posts = Recorder<Int>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { note in posts.values.append((note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0) }
        defer { NotificationCenter.default.removeObserver(token) }
        // Waits until a condition holds, however busy the machine is.
        func turn(until isDone: () -> Bool) async throws {
            for _ in 0..<2400 where !isDone() { try await Task.sleep(nanoseconds: 50_000_000) }
        }
        _ = context.make("Author")
        _ = context.make("Author")
        #expect(posts.values.isEmpty)
        try await turn { !posts.values.isEmpty && manager.groupingLevel == 0 }
        #expect(posts.values == [2] && manager.groupingLevel == 0)
        _ = context.make("Author")
        try await turn { posts.values.count == 2 && manager.groupingLevel == 0 }
        context.undo()
        #expect(context.insertedObjects.count == 2)
        context.undo()
        #expect(context.insertedObjects.isEmpty)
    }

    // MARK: Several contexts

    @Test func backgroundTasksRunConcurrently() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let coordinator = container.persistentStoreCoordinator
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.threads {
                group.addTask {
                    try await container.performBackgroundTask { context in
                        _ = context.make("Author")
                        try context.save()
                    }
                }
                group.addTask {
                    await withCheckedContinuation { continuation in
                        container.performBackgroundTask { context in
                            _ = context.make("Author")
                            #expect(throws: Never.self) { try context.save() }
                            continuation.resume()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Self.count(coordinator, "Author") == 2 * Self.threads)
    }

    /// Every increment counts: a save that conflicts with another fails and is retried.
    @Test func concurrentConflictsLoseNoUpdate() async throws {
        let coordinator = try Library.coordinator()
        let first = try Library.context(coordinator)
        let id = try first.performAndWait { () throws -> NSManagedObjectID in
            let author = first.make("Author", ["age": 0])
            try first.save()
            return author.objectID
        }
        await onThreads(Self.threads) { _ in
            guard let context = try? Library.context(coordinator) else { return }
            for _ in 0..<5 {
                context.performAndWait {
                    let author = context.object(with: id)
                    while true {
                        author.setValue(Self.age(author) + 1, forKey: "age")
                        do {
                            return try context.save()
                        } catch {
                            #expect((error as NSError).code == NSManagedObjectMergeError)
                            context.refresh(author, mergeChanges: false)
                        }
                    }
                }
            }
        }
        let fresh = try Library.context(coordinator)
        #expect(fresh.performAndWait { Self.age(fresh.object(with: id)) } == 5 * Self.threads)
    }

    @Test func backgroundSavesAreMerged() async throws {
        let coordinator = try Library.coordinator()
        let view = try Library.context(coordinator)
        view.automaticallyMergesChangesFromParent = true
        let shelf = UncheckedBox(
            try view.performAndWait { () throws -> NSManagedObject in
                let shelf = view.make("Shelf")
                try view.save()
                return shelf
            })
        let id = view.performAndWait { shelf.value.objectID }
        await onThreads(Self.threads) { number in
            guard let context = try? Library.context(coordinator) else { return }
            for round in 0..<Self.rounds {
                context.performAndWait {
                    let book = context.make("Book", ["title": "\(number) \(round)"])
                    book.setValue(context.object(with: id), forKey: "shelf")
                    #expect(throws: Never.self) { try context.save() }
                }
                // The view context reads at the same time.
                view.perform { _ = shelf.value.names("volumes") }
            }
        }
        let names = await view.perform(schedule: .enqueued) { shelf.value.names("volumes") }
        #expect(names.count == Self.threads * Self.rounds && Set(names).count == names.count)
        #expect(await view.perform { !view.hasChanges })
    }

    @Test func childrenSaveFromSeveralQueues() async throws {
        let coordinator = try Library.coordinator()
        let parent = try Library.context(coordinator)
        let id = try parent.performAndWait { () throws -> NSManagedObjectID in
            let author = parent.make("Author", ["name": "a"])
            try parent.save()
            return author.objectID
        }
        await onThreads(Self.threads) { number in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            for round in 0..<10 {
                child.performAndWait {
                    _ = child.make("Book", ["title": "\(number) \(round)", "author": child.object(with: id)])
                    #expect(throws: Never.self) { try child.save() }
                }
                if round % 3 == 0 {
                    parent.perform { #expect(throws: Never.self) { try parent.save() } }
                    child.performAndWait { child.refreshAllObjects() }
                }
            }
        }
        try await parent.perform(schedule: .enqueued) { try parent.save() }
        let fresh = try Library.context(coordinator)
        let names = fresh.performAndWait { fresh.object(with: id).names("books") }
        #expect(names.count == Self.threads * 10)
    }
}
