import CoreData
import Testing

/// Key-value coding: values of every type, key paths, dictionaries, primitive values, overridden accessors.
@Suite(.overAllStores) struct KeyValueCodingTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try Library.context()
    }

    private func book(_ values: [String: Any?] = [:]) -> NSManagedObject { context.make("Book", values) }

    /// Sets a value, saves it, and returns it from another context.
    private func roundTrip(_ key: String, _ value: Any) throws -> Any? {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let book = context.make("Book", [key: value])
        try context.save()
        let other = try Library.context(coordinator)
        return other.object(with: book.objectID).value(forKey: key)
    }

    // MARK: Attribute types

    @Test func numbersRoundTrip() throws {
        #expect(try roundTrip("pages", 42) as? Int == 42)
        #expect(try roundTrip("pages", Int16(-3)) as? Int == -3)
        #expect(try roundTrip("pages", UInt8(200)) as? Int32 == 200)
        #expect(try roundTrip("pages", NSNumber(value: 7)) as? NSNumber == 7)
        #expect(try roundTrip("pages", Int(Int32.max)) as? Int == Int(Int32.max))
        #expect(try roundTrip("price", 1.5) as? Double == 1.5)
        #expect(try roundTrip("price", 2) as? Double == 2)
        #expect(try roundTrip("price", Double.infinity) as? Double == .infinity)
        #expect(try roundTrip("weight", Float(0.1)) as? Float == 0.1)
        #expect(try roundTrip("isNew", false) as? Bool == false)
        #expect(try roundTrip("isNew", NSNumber(value: 1)) as? Bool == true)
        let cost = try #require(Decimal(string: "1234567890.0123456789"))
        #expect(
            try roundTrip("cost", NSDecimalNumber(decimal: cost)) as? NSDecimalNumber == NSDecimalNumber(decimal: cost))
        #expect((try roundTrip("cost", cost) as? NSDecimalNumber)?.decimalValue == cost)
    }

    /// Numbers of every type that are too large for an attribute keep the bits that fit, as on Apple's platforms.
    @Test func largeIntegersAreTruncated() throws {
        let entity = NSEntityDescription()
        entity.name = "Sample"
        let attribute = NSAttributeDescription()
        attribute.name = "small"
        attribute.attributeType = .integer16AttributeType
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let object = try Library.context(Library.coordinator(model)).make("Sample")
        for value in [70_000, Int32(70_000), Int64(70_000), UInt32(70_000), NSNumber(value: 70_000)] as [Any] {
            object.setValue(value, forKey: "small")
            #expect(object.value(forKey: "small") as? Int == 4464, "\(type(of: value))")
        }
    }

    @Test func otherTypesRoundTrip() throws {
        let title = "Ärger 👩‍👩‍👧" + StoreKind.leastCharacter
        #expect(try roundTrip("title", title) as? String == title)
        #expect(try roundTrip("title", NSString(string: "n")) as? String == "n")
        let date = Date(timeIntervalSinceReferenceDate: 0.123_456_789)
        #expect(try roundTrip("date", date) as? Date == date)
        let uuid = UUID()
        #expect(try roundTrip("uuid", uuid) as? UUID == uuid)
        #expect(try roundTrip("data", Data([0, 1, 255])) as? Data == Data([0, 1, 255]))
        let url = try #require(URL(string: "https://example.org/a%20b?c#d"))
        #expect(try roundTrip("link", url) as? URL == url)
        #expect(try roundTrip("extra", NSArray(array: ["a", 1])) as? NSArray == ["a", 1])
        #expect(try roundTrip("extra", ["a": 1]) as? [String: Int] == ["a": 1])
    }

    @Test func missingValuesAreNil() throws {
        let book = book()
        for key in ["price", "date", "uuid", "data", "cost", "link", "weight", "extra", "author"] {
            #expect(book.value(forKey: key) == nil)
        }
        for key in ["pages", "isNew", "price", "date", "link"] {
            book.setValue(nil, forKey: key)
            #expect(book.value(forKey: key) == nil)
        }
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
        book.setValue(nil, forKey: "tags")
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
    }

    @Test func newObjectsHaveDefaultValues() throws {
        let book = book()
        #expect(book.value(forKey: "title") as? String == "Untitled")
        #expect(book.value(forKey: "pages") as? Int == 0 && book.value(forKey: "isNew") as? Bool == true)
    }

    /// An attribute's value is copied when it is set (NSManagedObject).
    @Test func mutableValuesAreCopied() throws {
        let book = book()
        let text = NSMutableString(string: "a")
        book.setValue(text, forKey: "title")
        text.append("b")
        #expect(book.value(forKey: "title") as? String == "a")
        let data = NSMutableData(data: Data([1]))
        book.setValue(data, forKey: "data")
        data.append(Data([2]))
        #expect(book.value(forKey: "data") as? Data == Data([1]))
        let author = context.make("Author")
        let set = NSMutableSet(object: book)
        author.setValue(set, forKey: "books")
        let taken = author.value(forKey: "books") as? NSSet
        set.removeAllObjects()
        #expect((author.value(forKey: "books") as? NSSet)?.count == 1)
        book.setValue(nil, forKey: "author")
        #expect(taken?.count == 1)
    }

    // MARK: Key paths

    @Test func keyPathsReadAndAggregate() throws {
        let author = context.make("Author", ["name": "a", "age": 30])
        let books = (1...3).map { number in
            context.make(
                "Book",
                ["title": "b\(min(number, 2))", "pages": number * 100, "author": author, "price": Double(number)])
        }
        #expect(books[0].value(forKeyPath: "author.name") as? String == "a")
        #expect(books[0].value(forKeyPath: "title") as? String == "b1")
        #expect(books[0].value(forKeyPath: "shelf.name") == nil)
        #expect(author.value(forKeyPath: "books.title") as? Set<String> == ["b1", "b2"])
        #expect(author.value(forKeyPath: "books.@count") as? Int == 3)
        #expect(author.value(forKeyPath: "books.@sum.pages") as? Int == 600)
        #expect(author.value(forKeyPath: "books.@avg.pages") as? Double == 200)
        #expect(author.value(forKeyPath: "books.@min.price") as? Double == 1)
        #expect(author.value(forKeyPath: "books.@max.title") as? String == "b2")
        let titles = author.value(forKeyPath: "books.@unionOfObjects.title") as? [String]
        #expect(titles?.sorted() == ["b1", "b2", "b2"])
        let distinct = author.value(forKeyPath: "books.@distinctUnionOfObjects.title") as? [String]
        #expect(distinct?.sorted() == ["b1", "b2"])
        #expect(books[0].value(forKeyPath: "author.books.@count") as? Int == 3)
        // There are no values to add or compare.
        let other = context.make("Author")
        #expect(other.value(forKeyPath: "books.@sum.pages") as? Int == 0)
        #expect(other.value(forKeyPath: "books.@avg.pages") as? Double == 0)
        #expect(other.value(forKeyPath: "books.@max.pages") == nil)
        books[0].setValue("z", forKeyPath: "author.name")
        books[0].setValue("t", forKeyPath: "title")
        books[0].setValue("lost", forKeyPath: "shelf.name")
        #expect(author.value(forKey: "name") as? String == "z" && books[0].value(forKey: "title") as? String == "t")
    }

    /// Numbers are converted to doubles; a missing value counts as 0 for a sum and an average, and is ignored for the
    /// minimum and maximum (Key-Value Coding Programming Guide, Using Collection Operators).
    @Test func operatorsHandleMissingValues() throws {
        let author = context.make("Author")
        for cost in ["1.5", "2.5", nil, nil] {
            _ = context.make("Book", ["cost": cost.map { NSDecimalNumber(string: $0) }, "author": author])
        }
        #expect(author.value(forKeyPath: "books.@sum.cost") as? Double == 4)
        #expect(author.value(forKeyPath: "books.@avg.cost") as? Double == 1)
        #expect((author.value(forKeyPath: "books.@min.cost") as? NSNumber)?.doubleValue == 1.5)
        #expect((author.value(forKeyPath: "books.@max.cost") as? NSNumber)?.doubleValue == 2.5)
    }

    @Test func keyPathsKeepTheOrder() throws {
        let shelf = context.make("Shelf")
        let books = "cab".map { context.make("Book", ["title": "\($0)"]) }
        shelf.setValue(NSOrderedSet(array: books), forKey: "volumes")
        let titles = shelf.value(forKeyPath: "volumes.title")
        #expect((titles as? NSOrderedSet)?.array as? [String] == ["c", "a", "b"])
        // An ordered set has each value once, and omits nil.
        books[1].setValue("c", forKey: "title")
        books[2].setValue(nil, forKey: "title")
        #expect((shelf.value(forKeyPath: "volumes.title") as? NSOrderedSet)?.array as? [String] == ["c"])
    }

    @Test func keyPathsThroughSeveralCollectionsKeepThemApart() throws {
        let author = context.make("Author")
        let tags = (0..<3).map { context.make("Tag", ["name": "t\($0)"]) }
        for members in [[tags[0], tags[1]], [tags[1], tags[2]]] {
            context.make("Book", ["author": author]).setValue(NSSet(array: members), forKey: "tags")
        }
        let sets = author.value(forKeyPath: "books.tags") as? NSSet
        #expect(sets == NSSet(array: [NSSet(array: [tags[0], tags[1]]), NSSet(array: [tags[1], tags[2]])]))
        #expect(author.value(forKeyPath: "books.tags.@count") as? Int == 2)
        let all = author.value(forKeyPath: "books.@distinctUnionOfSets.tags") as? Set<NSManagedObject>
        #expect(all == Set(tags))
        let names = author.value(forKeyPath: "books.@distinctUnionOfSets.tags.name") as? Set<String>
        #expect(names == ["t0", "t1", "t2"])
    }

    @Test func arraysOfValuesHaveNullForNil() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        for (pages, price) in [(1, 1.5), (2, nil), (3, 3.5)] as [(Int, Double?)] {
            _ = book(["pages": pages, "price": price])
        }
        let books = NSArray(array: try context.fetch(request))
        let holder = book(["extra": books])
        let prices = holder.value(forKeyPath: "extra.price") as? NSArray
        #expect(prices?.count == 3 && prices?[1] is NSNull && prices?[2] as? Double == 3.5)
    }

    @Test func operatorsKeepDecimalsAndLargeNumbersExact() throws {
        let author = context.make("Author")
        for cost in ["1000000000000000.31", "0.01"] {
            _ = context.make("Book", ["cost": NSDecimalNumber(string: cost), "author": author])
        }
        let sum = author.value(forKeyPath: "books.@sum.cost") as? NSDecimalNumber
        #expect(sum?.stringValue == "1000000000000000.32")
        let largest = author.value(forKeyPath: "books.@max.cost") as? NSDecimalNumber
        #expect(largest?.stringValue == "1000000000000000.31")
    }

    @Test func keysOfValuesAreRead() throws {
        let book = book(["title": "abc"])
        #expect(book.value(forKeyPath: "title.length") as? Int == 3)
        #expect(book.value(forKeyPath: "title.uppercaseString") as? String == "ABC")
        let order = NSSortDescriptor(key: "title.length", ascending: true)
        #expect(order.compare(self.book(["title": "z"]), to: book) == .orderedAscending)
    }

    /// The collection of a relationship does not change while it is retained, although changes need not copy it.
    @Test(arguments: ["books", "volumes"]) func collectionsAreSnapshots(key: String) throws {
        let owner = context.make(key == "books" ? "Author" : "Shelf")
        func count() -> Int? {
            (owner.value(forKey: key) as? NSSet)?.count ?? (owner.value(forKey: key) as? NSOrderedSet)?.count
        }
        let inverse = key == "books" ? "author" : "shelf"
        var kept: [(Any, Int)] = []
        for number in 0..<20 {
            #expect(count() == number)
            let book = book([inverse: owner])
            #expect(count() == number + 1)
            if number.isMultiple(of: 5), let collection = owner.value(forKey: key) {
                kept.append((collection, number + 1))
                book.setValue(nil, forKey: inverse)
                #expect(count() == number)
                book.setValue(owner, forKey: inverse)
            }
        }
        for (collection, count) in kept {
            #expect((collection as? NSSet)?.count ?? (collection as? NSOrderedSet)?.count == count)
        }
    }

    // MARK: Dictionaries

    @Test func dictionariesOfValuesRoundTrip() throws {
        let book = book(["title": "t", "pages": 3])
        let author = context.make("Author", ["name": "a"])
        let values = book.dictionaryWithValues(forKeys: ["title", "pages", "date", "author"])
        #expect(values["title"] as? String == "t" && values["pages"] as? Int == 3)
        #expect(values["date"] is NSNull && values["author"] is NSNull && values.count == 4)
        book.setValuesForKeys(["title": "u", "pages": NSNull(), "author": author])
        #expect(book.value(forKey: "title") as? String == "u" && book.value(forKey: "pages") == nil)
        #expect(author.names("books") == ["u"])
    }

    // MARK: Unknown keys

    private final class Lenient: NSManagedObject {
        var unknown: [String: String] = [:]

        override func value(forUndefinedKey key: String) -> Any? { unknown[key] }

        override func setValue(_ value: Any?, forUndefinedKey key: String) { unknown[key] = value as? String }
    }

    @Test func unknownKeysReachTheOverrides() throws {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Author"])
        let object = Lenient(entity: entity, insertInto: context)
        object.setValue("v", forKey: "nowhere")
        #expect(object.value(forKey: "nowhere") as? String == "v" && object.value(forKey: "other") == nil)
        #expect(object.value(forKey: "name") == nil && object.changedValues().isEmpty)
    }

    @Test func objectsAnswerTheirOwnKeys() throws {
        let book = book()
        #expect(book.value(forKey: "objectID") as? NSManagedObjectID == book.objectID)
        #expect(book.value(forKey: "self") as? NSManagedObject === book)
        #expect(book.value(forKey: "managedObjectContext") as? NSManagedObjectContext === context)
        #expect(book.value(forKey: "isInserted") as? Bool == true && book.value(forKey: "isDeleted") as? Bool == false)
    }
}
