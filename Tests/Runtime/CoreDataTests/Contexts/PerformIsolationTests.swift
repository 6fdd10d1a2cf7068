import CoreData
import Testing

/// The asynchronous `perform` called from isolated code: an actor's blocks may use its state.
@Suite struct PerformIsolationTests {
    @MainActor private final class ViewModel {
        let context: NSManagedObjectContext
        var authors: [NSManagedObject] = []

        init() throws { context = try Library.context() }

        func load() async throws {
            await context.perform {}
            // Neither the block nor its result is Sendable.
            let author = await context.perform { self.context.make("Author", ["name": "Ada"]) }
            await context.perform { author.setValue("Grace", forKey: "name") }
            authors = try await context.perform { try self.context.all("Author") }
        }
    }

    private actor Importer {
        let container: NSPersistentContainer
        private(set) var count = 0

        init(_ container: NSPersistentContainer) { self.container = container }

        func run() async throws {
            count = try await container.performBackgroundTask { context in
                _ = context.make("Author", ["name": "Ada"])
                try context.save()
                return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
            }
        }
    }

    @Test func mainActorCodeCallsPerformWithoutSendableBlocks() async throws {
        let names = try await Task { @MainActor in
            let model = try ViewModel()
            try await model.load()
            return model.context.performAndWait { model.authors.map { $0.value(forKey: "name") as? String } }
        }.value
        #expect(names == ["Grace"])
    }

    @Test func actorsCallPerformBackgroundTask() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { #expect($1 == nil) }
        let importer = Importer(container)
        try await importer.run()
        #expect(await importer.count == 1)
    }

    @Test func blocksRunOnTheContextsQueueAndThrow() async throws {
        let context = try Library.context()
        await #expect(throws: CancellationError.self) { try await context.perform { throw CancellationError() } }
        let isNested = await context.perform { context.performAndWait { true } }
        #expect(isNested)
        let order = Recorder<Int>()
        Self.enqueue(context) { order.values.append(1) }
        await context.perform(schedule: .enqueued) { order.values.append(2) }
        #expect(order.values == [1, 2])
    }

    /// In synchronous code, `perform` is the overload that does not wait.
    private static func enqueue(_ context: NSManagedObjectContext, _ block: @escaping () -> Void) {
        context.perform(block)
    }

    @Test func coordinatorsRunBlocksAndReturnTheirResults() async throws {
        let coordinator = try Library.coordinator()
        #expect(await coordinator.perform { coordinator.persistentStores.count } == 1)
        await #expect(throws: CocoaError.self) { try await coordinator.perform { throw CocoaError(.fileNoSuchFile) } }
    }

    /// Libraries hide contexts behind protocols with the signatures of Apple's framework.
    private protocol Performing {
        func perform<T>(schedule: NSManagedObjectContext.ScheduledTaskType, _ block: @escaping () throws -> T)
            async rethrows -> T
        func performAndWait<T>(_ block: () throws -> T) rethrows -> T
    }

    private final class Context: NSManagedObjectContext, Performing, @unchecked Sendable {}

    @Test func contextsConformToProtocolsWithApplesSignatures() async throws {
        let context: any Performing = Context(concurrencyType: .privateQueueConcurrencyType)
        #expect(await context.perform(schedule: .immediate) { 3 } == 3)
        #expect(context.performAndWait { 4 } == 4)
    }
}
