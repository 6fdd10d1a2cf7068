import SwiftData
import Testing

@testable import Shelf

@Test func titlesOfFrequentItems() throws {
    let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for (title, count) in [("Pen", 3), ("Ink", 1), ("Cup", 2)] { context.insert(Item(title: title, count: count)) }
    #expect(try Inventory(context: context).titles(atLeast: 2) == ["Cup", "Pen"])
}
