// swift-format-ignore-file
import SwiftData
import XCTest

@Model
final class TodoItem {
    @Attribute(.unique) var id: UUID
    var title: String { didSet { Self.changes += 1 } }
    var isCompleted: Bool
    var createdAt: Date
    var dueDate: Date?
    var priority: Int
    var tags: [String]
    var category: TodoCategory?
    var subtasks: [TodoItem] = []
    var `default`: Bool = false
    private var secret: String = "s"
    nonisolated(unsafe) static var changes = 0

    init(
        id: UUID = UUID(), title: String, isCompleted: Bool = false, createdAt: Date = Date(), dueDate: Date? = nil,
        priority: Int = 0, tags: [String] = [], category: TodoCategory? = nil
    ) {
        self.id = id
        self.title = title
        self.isCompleted = isCompleted
        self.createdAt = createdAt
        self.dueDate = dueDate
        self.priority = priority
        self.tags = tags
        self.category = category
    }

    func toggle() { isCompleted.toggle() }
}

@Model
final class TodoCategory: Identifiable {
    var name: String
    var sortIndex: Int = 0
    @Relationship(deleteRule: .nullify, inverse: \TodoItem.category) var items: [TodoItem]?
    init(name: String) { self.name = name }
}

final class TodoViewModel {
    private let context: ModelContext
    private(set) var items: [TodoItem] = []
    init(context: ModelContext) { self.context = context }

    func load() throws {
        items = try context.fetch(
            FetchDescriptor<TodoItem>(sortBy: [
                SortDescriptor(\.priority, order: .reverse), SortDescriptor(\.createdAt),
            ]))
    }

    func add(_ title: String, priority: Int = 0) throws {
        context.insert(TodoItem(title: title, priority: priority))
        try context.save()
        try load()
    }

    func delete(at offsets: IndexSet) throws {
        for index in offsets { context.delete(items[index]) }
        try context.save()
        try load()
    }
}

final class TodoTests: XCTestCase {
    var container: ModelContainer!
    var context: ModelContext!

    override func setUp() {
        super.setUp()
        let schema = Schema([TodoItem.self, TodoCategory.self])
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
        container = try! ModelContainer(for: schema, configurations: [configuration])
        context = ModelContext(container)
    }

    override func tearDown() {
        context = nil
        container = nil
        super.tearDown()
    }

    func testViewModel() throws {
        let model = TodoViewModel(context: context)
        try model.add("a")
        try model.add("b", priority: 2)
        XCTAssertEqual(model.items.map(\.title), ["b", "a"])
        model.items[0].toggle()
        XCTAssertTrue(model.items[0].isCompleted)
        try model.delete(at: IndexSet(integer: 0))
        XCTAssertEqual(model.items.count, 1)
    }

    func testCategory() throws {
        let category = TodoCategory(name: "c")
        context.insert(category)
        let item = TodoItem(title: "t", tags: ["x", "y"], category: category)
        context.insert(item)
        XCTAssertEqual(category.items?.count, 1)
        XCTAssertEqual(category.items?.first?.title, "t")
        try context.save()
        context.delete(category)
        try context.save()
        XCTAssertNil(item.category)
        XCTAssertEqual(item.tags, ["x", "y"])
    }

    func testSubtasks() throws {
        let parent = TodoItem(title: "p")
        let child = TodoItem(title: "c")
        parent.subtasks.append(child)
        context.insert(parent)
        try context.save()
        XCTAssertEqual(parent.subtasks.count, 1)
        XCTAssertEqual(try context.fetch(FetchDescriptor<TodoItem>()).count, 2)
        XCTAssertTrue(child.subtasks.isEmpty)
    }

    func testFetchByUUID() throws {
        let item = TodoItem(title: "t")
        context.insert(item)
        let id = item.id
        let found = try context.fetch(FetchDescriptor<TodoItem>(predicate: #Predicate { $0.id == id }))
        XCTAssertEqual(found.first, item)
        let ids = [id, UUID()]
        XCTAssertEqual(
            try context.fetch(FetchDescriptor<TodoItem>(predicate: #Predicate { ids.contains($0.id) })).count, 1)
    }

    @MainActor func testMainContext() async throws {
        let main = container.mainContext
        main.insert(TodoItem(title: "m"))
        try main.save()
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<TodoItem>()), 1)
    }

    func testDeletedThenFetched() throws {
        let item = TodoItem(title: "t")
        context.insert(item)
        try context.save()
        let id = item.persistentModelID
        context.delete(item)
        try context.save()
        XCTAssertNil(context.registeredModel(for: id) as TodoItem?)
        XCTAssertTrue(try context.fetch(FetchDescriptor<TodoItem>()).isEmpty)
        XCTAssertNil(item.modelContext)
    }
}
