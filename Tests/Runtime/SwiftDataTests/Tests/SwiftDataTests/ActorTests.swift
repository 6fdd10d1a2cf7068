import Testing

@testable import SwiftData

@ModelActor
actor ItemStore {
    func add(_ name: String) throws -> PersistentIdentifier {
        let item = Item(timestamp: .now, name: name)
        modelContext.insert(item)
        try modelContext.save()
        return item.persistentModelID
    }

    func rename(_ id: PersistentIdentifier, to name: String) throws {
        guard let item = self[id, as: Item.self] else { return }
        item.name = name
        try modelContext.save()
    }

    func names() throws -> [String] {
        try modelContext.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
}

actor HandWrittenStore: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(container: ModelContainer) {
        modelContainer = container
        let context = ModelContext(container)
        context.autosaveEnabled = false
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Item>()) }
}

@Suite struct ActorTests {
    @Test func actorsShareAStore() async throws {
        let container = try makeContainer(Item.self)
        let (one, two) = (ItemStore(modelContainer: container), ItemStore(modelContainer: container))
        let id = try await one.add("a")
        try await two.rename(id, to: "b")
        #expect(try await one.names() == ["b"])
        #expect(try await HandWrittenStore(container: container).count() == 1)
    }

    @Test func manyActorsInsertAtOnce() async throws {
        let container = try makeContainer(Item.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let store = ItemStore(modelContainer: container)
                    for part in 0..<5 { _ = try await store.add("\(number) \(part)") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ItemStore(modelContainer: container).names().count == 40)
    }

    /// More changes than an inbox keeps have the same effect as a few.
    @Test(arguments: [1, SaveInbox.capacity]) func contextsSeeWhatOthersHaveSaved(insertions: Int) throws {
        let container = try makeContainer(Item.self)
        let (idle, busy) = (ModelContext(container), ModelContext(container))
        let names = ["renamed", "deleted", "kept"]
        let items = names.map { Item(timestamp: .now, name: $0) }
        for item in items { idle.insert(item) }
        try idle.save()
        for item in try busy.fetch(FetchDescriptor<Item>()) {
            if item.name == "renamed" { item.name = "new" }
            if item.name == "deleted" { busy.delete(item) }
        }
        for number in 0..<insertions { busy.insert(Item(timestamp: .now, name: "\(number)")) }
        try busy.save()
        items[2].name = "unsaved"
        #expect(idle.inbox.count == (insertions == 1 ? 3 : 1))
        #expect(try idle.fetchCount(FetchDescriptor<Item>()) == insertions + 2)
        #expect(items[0].name == "new")
        #expect(items[1].isDeleted)
        #expect(items[2].name == "unsaved")
        #expect(idle.hasChanges)
    }
}
