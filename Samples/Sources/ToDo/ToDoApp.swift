import CoreData
import SampleSupport

/// Things to do: objects of handwritten classes, created, found, changed and deleted.
@main
@MainActor
struct ToDoApp {
    /// The current time in this sample.
    nonisolated static let now = Clock.date("2026-11-21 10:00")

    static func main() async throws {
        try await Launch.run { folder in try ToDoApp(PersistenceController(folder: folder)).run() }
    }

    private let persistence: PersistenceController
    private let store: ToDoStore
    private var context: NSManagedObjectContext { persistence.container.viewContext }

    init(_ persistence: PersistenceController) {
        self.persistence = persistence
        store = ToDoStore(context: persistence.container.viewContext)
    }

    private func run() throws {
        if try store.lists().isEmpty { try create() }
        try read()
        try update()
        try validate()
        try delete()
    }

    private func create() throws {
        Launch.section("Create")
        let home = store.addList("Home")
        let work = store.addList("Work")
        let milk = store.add("Buy milk", due: Clock.date("2026-11-21 18:00"), priority: 2, to: home)
        print(
            "the milk is a \((milk as? ToDoItem).map { "\(type(of: $0))" } ?? "-") on the list “\((milk as? ToDoItem)?.list?.name ?? "-")”"
        )
        _ = store.add("Water the plants", due: Clock.date("2026-11-20 08:00"), priority: 1, to: home)
        _ = store.add("Read a novel", due: nil, priority: 0, to: home)

        let report = ToDoItem(context: context)
        report.title = "Write the report"
        report.dueDate = Clock.date("2026-11-21 12:00")
        report.urgency = .now
        work.addToItems(report)

        let call = NSEntityDescription.insertNewObject(forEntityName: "ToDoItem", into: context) as? ToDoItem
        call?.title = "Call the bank"
        call?.dueDate = Clock.date("2026-11-23 09:00")
        call?.list = work

        print("\(context.insertedObjects.count) new objects")
        try persistence.saveContext()
        print("saved; changes left: \(context.hasChanges)")
    }

    private func read() throws {
        Launch.section("Read")
        for list in try store.lists() {
            print("\(list.name):")
            for item in list.sortedItems { print("  \(Self.line(item))") }
        }
        Self.show("today", try store.items(dueOn: Self.now))
        Self.show(
            "21 to 23 Nov", try store.items(dueFrom: Clock.date("2026-11-21 00:00"), to: Clock.date("2026-11-23 09:00"))
        )
        Self.show("overdue", try store.overdueItems(at: Self.now))
        Self.show("no date", try store.items(NSPredicate(format: "dueDate == nil")))
        let urgent = NSPredicate(format: "priority >= %d AND list.name == %@", ToDoItem.Priority.today.rawValue, "Home")
        Self.show("urgent at home", try store.items(urgent))
    }

    private func update() throws {
        Launch.section("Update")
        guard let item = try store.items(NSPredicate(format: "isDone == NO")).first else { return print("all is done") }
        item.isDone = true
        item.setValue(ToDoItem.Priority.whenever.rawValue, forKey: "priority")
        let changes = item.changedValues().keys.sorted().joined(separator: ", ")
        print("“\(item.title ?? "")” is done; changed: \(changes); created \(Clock.day(item.createdAt))")
        try persistence.saveContext()
        print("saved; changed: \(item.changedValues().count)")
    }

    private func validate() throws {
        Launch.section("Not everything can be saved")
        let item = ToDoItem(context: context)
        item.title = ""
        do {
            try persistence.saveContext()
        } catch let error as NSError {
            let key = error.userInfo[NSValidationKeyErrorKey] as? String ?? "-"
            print("code \(error.code), is “too short”: \(error.code == NSValidationStringTooShortError), key \(key)")
        }
        context.rollback()
        print(
            "rolled back; changes left: \(context.hasChanges); the item is in a context: \(item.managedObjectContext != nil)"
        )
    }

    private func delete() throws {
        Launch.section("Delete")
        let done = try store.deleteDoneItems()
        try persistence.saveContext()
        print("\(done) done item deleted, \(try store.items().count) left")
        guard let home = try store.lists().first(where: { $0.name == "Home" }), home.items.count < 3 else { return }
        context.delete(home)
        try persistence.saveContext()
        print("a list deleted, and with it its items: \(try store.items().count) left")
    }

    private static func show(_ title: String, _ items: [ToDoItem]) {
        print("\(title): \(items.isEmpty ? "nothing" : items.compactMap(\.title).joined(separator: ", "))")
    }

    private static func line(_ item: ToDoItem) -> String {
        "\(item.isDone ? "[x]" : "[ ]") \(item.title ?? "") (\(item.urgency), \(Clock.day(item.dueDate)))"
    }
}
