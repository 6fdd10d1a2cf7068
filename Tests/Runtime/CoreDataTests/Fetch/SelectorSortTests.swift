import CoreData
import Testing

/// Sorting by comparison methods of strings, in all types of stores.
@Suite(.overAllStores) struct SelectorSortTests {
    @Test(arguments: [
        (Selector.compare, ["B", "File 10", "File 9", "a", "c"]),
        (.caseInsensitiveCompare, ["a", "B", "c", "File 10", "File 9"]),
        (.localizedStandardCompare, ["a", "B", "c", "File 9", "File 10"]),
    ])
    func selectorsSortTitles(_ selector: Selector, _ expected: [String]) throws {
        let context = try Library.context()
        for title in ["File 10", "a", "c", "B", "File 9"] { _ = context.make("Book", ["title": title]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true, selector: selector)]
        #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == expected)
        try context.save()
        context.reset()
        #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == expected)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false, selector: selector)]
        #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == expected.reversed())
    }
}
