import CoreData
import TestSupport
import Testing

/// The same random work has the same result in stores of all types.
@Suite struct StoreFuzzTests {
    /// Some seeds, and those with which values that another context had saved were once lost, or with which a save read
    /// relationships of some store types and so left a context with other outdated ones.
    private static let seeds = (runsLongForms ? Array(1...40) : [1]) + [5, 14, 20, 21, 23, 28, 37]

    /// One user, with a context.
    private struct Worker {
        let context: NSManagedObjectContext
        let label: String
        var made = 0

        mutating func work(_ numbers: inout SeededGenerator) throws {
            let authors = try context.all("Author", by: "name")
            let books = try context.all("Book", by: "title")
            let tags = try context.all("Tag", by: "name")
            let shelves = try context.all("Shelf", by: "name")
            // A fetch may leave its objects as faults, depending on the store, and faults read what other contexts have
            // saved since.
            for object in books + authors + tags + shelves { object.willAccessValue(forKey: nil) }
            made += 1
            let name = "\(label)\(made)"
            let book = books.randomElement(using: &numbers)
            switch Int.random(in: 0..<13, using: &numbers) {
            case 0: _ = context.make("Author", ["name": name])
            case 1: _ = context.make("Tag", ["name": name])
            case 2: _ = context.make("Shelf", ["name": name])
            case 3, 4: _ = context.make("Book", ["title": name, "author": authors.randomElement(using: &numbers)])
            case 5: _ = context.make("Novel", ["title": name, "genre": "g"])
            case 6: book?.setValue(authors.randomElement(using: &numbers), forKey: "author")
            case 7: book?.setValue(Int.random(in: 0..<100, using: &numbers), forKey: "pages")
            case 8:
                guard let tag = tags.randomElement(using: &numbers), let book else { return }
                let set = book.mutableSetValue(forKey: "tags")
                if set.contains(tag) { set.remove(tag) } else { set.add(tag) }
            case 9:
                guard let shelf = shelves.randomElement(using: &numbers), let book else { return }
                shelf.mutableOrderedSetValue(forKey: "volumes").insert(book, at: 0)
            case 10: book?.setValue(books.randomElement(using: &numbers), forKey: "prequel")
            case 11: if let object = (books + authors).randomElement(using: &numbers) { context.delete(object) }
            default: if let object = (tags + shelves).randomElement(using: &numbers) { context.delete(object) }
            }
        }
    }

    /// Returns the content of a store as text.
    private static func contents(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = try Library.context(coordinator)
        func name(_ value: Any?) -> String {
            guard let object = value as? NSManagedObject else { return "-" }
            // One context may refer to an object that another has deleted: some stores keep the reference, others do
            // not.
            return object.value(forKey: object.entity.attributesByName["title"] == nil ? "name" : "title") as? String
                ?? "-"
        }
        let books = try context.all("Book", by: "title").map { book in
            "\(book.entity.name ?? "") \(name(book)) \(book.value(forKey: "pages") ?? "") "
                + "by \(name(book.value(forKey: "author"))) "
                + "on \(name(book.value(forKey: "shelf"))) after \(name(book.value(forKey: "prequel"))) \(book.names("tags"))"
        }
        let others = try [("Author", "books"), ("Tag", "books"), ("Shelf", "volumes")].flatMap { entity, key in
            try context.all(entity, by: "name").map { "\(entity) \(name($0)) \($0.names(key))" }
        }
        return books + others
    }

    /// Does random work, and returns the content of the store after each save.
    private func history(
        _ coordinator: NSPersistentStoreCoordinator, seed: UInt64, workers count: Int
    ) throws -> [[String]] {
        var numbers = SeededGenerator(seed: seed)
        var workers = try ["a", "b"].prefix(count).map {
            Worker(context: try Library.context(coordinator), label: $0)
        }
        for worker in workers { worker.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy }
        var result: [[String]] = []
        for _ in 0..<25 {
            let index = Int.random(in: 0..<count, using: &numbers)
            for _ in 0..<Int.random(in: 1...6, using: &numbers) { try workers[index].work(&numbers) }
            try workers[index].context.save()
            if Bool.random(using: &numbers) {
                for worker in workers { worker.context.refreshAllObjects() }
            }
            result.append(try Self.contents(coordinator))
        }
        return result
    }

    @Test(arguments: seeds)
    func everyStoreTypeAgreesWithOneContext(_ seed: Int) throws {
        let expected = try history(try Library.coordinator(), seed: UInt64(seed), workers: 1)
        let file = try JSONStack()
        defer { file.removeFile() }
        #expect(try history(file.coordinator, seed: UInt64(seed), workers: 1) == expected)
        #expect(try Self.contents(try JSONStack(file.url).coordinator) == expected.last)
        for type in [NSSQLiteStoreType] + FormatStoreTests.types {
            let stack = try FormatStack(type)
            defer { stack.remove() }
            #expect(try history(stack.coordinator, seed: UInt64(seed), workers: 1) == expected)
            let again = try FormatStack(type, stack.url)
            defer { again.remove() }
            #expect(try Self.contents(again.coordinator) == expected.last)
        }
        let server = try ServerStack(Server(), ["members": seed.isMultiple(of: 2), "texts": seed.isMultiple(of: 3)])
        #expect(try history(server.coordinator, seed: UInt64(seed), workers: 1) == expected)
    }

    @Test(arguments: seeds)
    func everyStoreTypeAgreesWithTwoContexts(_ seed: Int) throws {
        let expected = try history(try Library.coordinator(), seed: UInt64(seed), workers: 2)
        let file = try JSONStack()
        defer { file.removeFile() }
        #expect(try history(file.coordinator, seed: UInt64(seed), workers: 2) == expected)
        #expect(try Self.contents(try JSONStack(file.url).coordinator) == expected.last)
        for type in [NSSQLiteStoreType] + FormatStoreTests.types {
            let stack = try FormatStack(type)
            defer { stack.remove() }
            #expect(try history(stack.coordinator, seed: UInt64(seed), workers: 2) == expected)
            let again = try FormatStack(type, stack.url)
            defer { again.remove() }
            #expect(try Self.contents(again.coordinator) == expected.last)
        }
    }

    /// A context clears the references that it knows to an object that it deletes, also where another context has saved
    /// another reference in the meantime. It does not touch the reference of a fault, which it reads then.
    @Test(
        arguments: [NSInMemoryStoreType, NSSQLiteStoreType, JSONStore.storeType] + FormatStoreTests.types,
        [false, true])
    func deletionsClearTheReferencesThatTheContextHasLoaded(_ type: String, isLoaded: Bool) throws {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let (context, other) = (try stack.context(), try stack.context())
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        let shelves = ["old", "new"].map { context.make("Shelf", ["name": $0]) }
        let book = context.make("Book", ["title": "Emma", "shelf": shelves[0]])
        try context.save()
        context.refreshAllObjects()
        #expect((shelves[0].value(forKey: "volumes") as? NSOrderedSet)?.count == 1)
        #expect(shelves[0].value(forKey: "name") != nil)
        if isLoaded { book.willAccessValue(forKey: nil) } else { context.refresh(book, mergeChanges: false) }

        let moved = other.object(with: book.objectID)
        moved.setValue(other.object(with: shelves[1].objectID), forKey: "shelf")
        try other.save()
        context.delete(shelves[0])
        try context.save()
        #expect(try Self.contents(stack.coordinator).first?.contains(isLoaded ? "on - " : "on new ") == true)
    }
}
