import CoreData
import SampleSupport
import Testing

@testable import ToDo

@MainActor @Suite struct ToDoTests {
    private let persistence = PersistenceController()
    private var context: NSManagedObjectContext { persistence.container.viewContext }
    private var store: ToDoStore { ToDoStore(context: context) }

    @Test func anObjectCreatedFromItsEntityHasTheEntitysClass() throws {
        let list = store.addList("List")
        let object = try #require(store.add("Item", due: nil, priority: 3, to: list))
        let item = try #require(object as? ToDoItem)
        #expect(item.urgency == .now)
        #expect(item.list === list)
        #expect(list.items == [item])
        #expect(item.createdAt == ToDoApp.now)
    }

    @Test func aDayStartsAtMidnight() throws {
        let list = store.addList("List")
        for (title, date) in [
            ("before", "2026-11-20 23:59"), ("first", "2026-11-21 00:00"), ("last", "2026-11-21 23:59"),
            ("after", "2026-11-22 00:00"),
        ] { _ = store.add(title, due: Clock.date(date), priority: 0, to: list) }
        #expect(try store.items(dueOn: Clock.date("2026-11-21 15:00")).map(\.title) == ["first", "last"])
    }

    @Test func anItemCanMoveToAnotherList() throws {
        let (one, other) = (store.addList("One"), store.addList("Other"))
        let item = try #require(store.add("Item", due: nil, priority: 0, to: one) as? ToDoItem)
        other.addToItems(item)
        #expect(one.items.isEmpty)
        #expect(item.list === other)
        other.removeFromItems(item)
        #expect(item.list == nil)
    }

    @Test func anItemWithoutATitleCannotBeSaved() {
        _ = ToDoItem(context: context)
        #expect { try persistence.saveContext() } throws: {
            ($0 as NSError).code == NSValidationMissingMandatoryPropertyError
        }
    }
}
