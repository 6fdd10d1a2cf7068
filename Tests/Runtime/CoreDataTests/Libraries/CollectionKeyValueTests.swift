import CoreData
import Testing

/// Key-value coding of Foundation's collections, which libraries use on fetched objects.
@Suite struct CollectionKeyValueTests {
    private let context: NSManagedObjectContext
    private let books: [NSManagedObject]

    init() throws {
        let context = try Library.context()
        self.context = context
        books = [("a", 1), ("b", 2), ("b", 3)].map { title, pages in
            context.make("Book", ["title": title, "pages": pages])
        }
    }

    @Test func arraysHaveTheValuesOfTheirMembers() {
        let array = NSArray(array: books)
        books[0].setValue(nil, forKey: "title")
        let titles = array.value(forKey: "title") as? [Any]
        #expect(titles?.first is NSNull && titles?.last as? String == "b")
        #expect(array.value(forKeyPath: "@sum.pages") as? Int == 6)
        #expect(array.value(forKey: "@count") as? Int == 3)
        array.setValue("c", forKey: "title")
        #expect(books.allSatisfy { $0.value(forKey: "title") as? String == "c" })
        #expect((array.value(forKeyPath: "@distinctUnionOfObjects.title") as? [Any])?.count == 1)
    }

    @Test func setsHaveTheDistinctValuesOfTheirMembers() {
        #expect(NSSet(array: books).value(forKey: "title") as? Set<String> == ["a", "b"])
        #expect(NSSet(array: books).value(forKeyPath: "@max.pages") as? Int == 3)
        #expect((NSOrderedSet(array: books).value(forKey: "title") as? NSOrderedSet)?.array as? [String] == ["a", "b"])
    }

    @Test func dictionariesHaveTheirObjects() {
        let dictionary = NSMutableDictionary()
        dictionary.setValue(NSDictionary(dictionary: ["b": 1]), forKey: "a")
        #expect(dictionary.value(forKeyPath: "a.b") as? Int == 1 && dictionary.value(forKey: "c") == nil)
        dictionary.setValue(nil, forKey: "a")
        #expect(dictionary.count == 0)
    }
}
