import Observation
import Synchronization
import Testing

@testable import SwiftData

@MainActor @Suite struct ObserverTests {
    private let container: ModelContainer

    init() throws { container = try makeContainer(Item.self, Author.self, Tag.self) }

    private func add(_ names: String..., count: Int = 0, in context: ModelContext) throws {
        for name in names { context.insert(Item(timestamp: .now, name: name, count: count)) }
        try context.save()
    }

    /// Waits until a condition holds that an observer's notifications bring about.
    private func wait(_ condition: () throws -> Bool) async throws {
        for _ in 0..<6000 where try !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test func resultsFollowTheContext() throws {
        let context = container.mainContext
        try add("b", "d", in: context)
        let predicate = #Predicate<Item> { $0.name != "x" }
        let observer = try ResultsObserver(
            FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]), modelContext: context)
        #expect(observer.results.map(\.name) == ["b", "d"] && observer.sections.isEmpty)
        let changes = Mutex(0)
        func observe() {
            withObservationTracking {
                _ = observer.results
            } onChange: {
                changes.withLock { $0 += 1 }
            }
        }
        observe()
        try add("a", "x", in: context)
        #expect(observer.results.map(\.name) == ["a", "b", "d"] && changes.withLock { $0 } == 1)
        observe()
        observer.results[1].name = "x"
        context.processPendingChanges()
        #expect(observer.results.map(\.name) == ["a", "d"] && changes.withLock { $0 } == 2)
        context.delete(observer.results[0])
        try context.save()
        #expect(observer.results.map(\.name) == ["d"])
        #expect(observer.element(at: IndexPath(indexes: [0, 0])).name == "d")
        #expect(observer.indexPath(for: observer.results[0]) == IndexPath(indexes: [0, 0]))
        #expect(observer.indexPath(for: Item(timestamp: .now)) == nil)
    }

    @Test func resultsHaveSections() throws {
        let context = container.mainContext
        try add("b", "c", count: 2, in: context)
        try add("a", count: 1, in: context)
        let observer = try ResultsObserver(
            FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name, order: .reverse)]), sectionBy: \.count,
            modelContext: context)
        #expect(observer.sections.map(\.title) == [2, 1])
        #expect(observer.sections.map { $0.elements.map(\.name) } == [["c", "b"], ["a"]])
        #expect(observer.element(at: IndexPath(indexes: [0, 1])).name == "b")
        #expect(observer.indexPath(for: observer.results[2]) == IndexPath(indexes: [1, 0]))
        observer.results[2].count = 2
        context.processPendingChanges()
        #expect(observer.sections.map { $0.elements.map(\.name) } == [["c", "b", "a"]])
    }

    @Test func resultsFollowSavesOfOtherContexts() async throws {
        let observer = try ResultsObserver(
            FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name)]), modelContext: container.mainContext)
        let other = ModelContext(container)
        try add("a", "b", in: other)
        try await wait { observer.results.count == 2 }
        #expect(observer.results.map(\.name) == ["a", "b"])
        try other.delete(model: Item.self, where: #Predicate { $0.name == "a" })
        try await wait { observer.results.count == 1 }
        #expect(observer.results.map(\.name) == ["b"])
        try container.erase()
        try await wait { observer.results.isEmpty }
        #expect(observer.results.isEmpty)
    }

    @Test func resultsOfAModelActorFollowOtherContexts() async throws {
        let watcher = ItemWatcher(modelContainer: container)
        try await watcher.watch()
        try add("a", in: container.mainContext)
        for _ in 0..<6000 where await watcher.names() != ["a"] { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await watcher.names() == ["a"])
    }

    @Test func unknownQueriesAreErrors() throws {
        #expect(throws: SwiftDataError.unknownSchema) {
            _ = try ResultsObserver(FetchDescriptor<Ticket>(), modelContext: container.mainContext)
        }
        #expect(throws: SwiftDataError.unknownSchema) {
            _ = try HistoryObserver(observedModels: [Ticket.self], modelContainer: container)
        }
    }

    @Test func savesOfAuthorsAndClassesAreCounted() async throws {
        let context = ModelContext(container)
        try add("before", in: context)
        let all = try HistoryObserver(modelContainer: container)
        let ofAuthors = try HistoryObserver(observedModels: [Author.self], modelContainer: container)
        let ofImports = try HistoryObserver(authors: ["import"], modelContainer: container)
        let changes = Mutex(0)
        withObservationTracking {
            _ = all.eventCounter
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        try add("a", "b", in: context)
        context.author = "import"
        context.insert(Author(name: "a"))
        try context.save()
        try await wait { all.eventCounter >= 2 && ofAuthors.eventCounter >= 1 && ofImports.eventCounter >= 1 }
        #expect(all.eventCounter == 2 && ofAuthors.eventCounter == 1 && ofImports.eventCounter == 1)
        #expect(changes.withLock { $0 } == 1)
    }

    @Test func historyIsCountedFromATokenOn() throws {
        let context = ModelContext(container)
        try add("a", in: context)
        let token = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
        try add("b", in: context)
        try add("c", in: context)
        #expect(try HistoryObserver(historyTokens: [token], modelContainer: container).eventCounter == 2)
        #expect(try HistoryObserver(modelContainer: container).eventCounter == 0)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(throws: SwiftDataError.historyTokenExpired) {
            _ = try HistoryObserver(historyTokens: [token], modelContainer: container)
        }
    }

    @Test func writesPostRemoteChange() async throws {
        let context = ModelContext(container)
        let posts = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: container.core.coordinator, queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(token) }
        try add("a", in: context)
        try await wait { posts.withLock { $0 } > 0 }
        #expect(posts.withLock { $0 } > 0)
    }
}

@ModelActor
private actor ItemWatcher {
    private var observer: ResultsObserver<Item, Never>?

    func watch() throws { observer = try ResultsObserver(FetchDescriptor<Item>(), modelContext: modelContext) }
    func names() -> [String] { observer?.results.map(\.name) ?? [] }
}
