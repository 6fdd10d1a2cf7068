import CoreData
import Testing

/// Primitive values, and custom accessors that use them as in Apple's documentation.
@Suite(.overAllStores) struct AccessorTests {
    private final class Writer: NSManagedObject {
        var calls: [String] = []

        var name: String? {
            get {
                willAccessValue(forKey: "name")
                defer { didAccessValue(forKey: "name") }
                return primitiveValue(forKey: "name") as? String
            }
            set {
                willChangeValue(forKey: "name")
                setPrimitiveValue(newValue?.uppercased(), forKey: "name")
                didChangeValue(forKey: "name")
            }
        }

        var books: Set<NSManagedObject> {
            get {
                willAccessValue(forKey: "books")
                defer { didAccessValue(forKey: "books") }
                return primitiveValue(forKey: "books") as? Set<NSManagedObject> ?? []
            }
            set {
                willChangeValue(forKey: "books")
                setPrimitiveValue(newValue as NSSet, forKey: "books")
                didChangeValue(forKey: "books")
            }
        }
    }

    private final class Volume: NSManagedObject {
        var author: NSManagedObject? {
            get {
                willAccessValue(forKey: "author")
                defer { didAccessValue(forKey: "author") }
                return primitiveValue(forKey: "author") as? NSManagedObject
            }
            set {
                willChangeValue(forKey: "author")
                setPrimitiveValue(newValue, forKey: "author")
                didChangeValue(forKey: "author")
            }
        }

        var tags: Set<NSManagedObject> {
            get { primitiveValue(forKey: "tags") as? Set<NSManagedObject> ?? [] }
            set {
                willChangeValue(forKey: "tags")
                setPrimitiveValue(newValue as NSSet, forKey: "tags")
                didChangeValue(forKey: "tags")
            }
        }
    }

    private func make<Object: NSManagedObject>(
        _ type: Object.Type, _ name: String, _ context: NSManagedObjectContext
    ) throws -> Object {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[name])
        return Object(entity: entity, insertInto: context)
    }

    /// Primitive values bypass change tracking and inverses (Documentation/Formats/RuntimeBehavior.md, 3.1).
    @Test func primitiveValuesAreNotTracked() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book")
        try context.save()
        author.setPrimitiveValue("b", forKey: "name")
        book.setPrimitiveValue(author, forKey: "author")
        #expect(!author.hasChanges && !book.hasChanges && !context.hasChanges)
        #expect(
            author.primitiveValue(forKey: "name") as? String == "b" && author.value(forKey: "name") as? String == "b")
        #expect(author.names("books").isEmpty && author.changedValues().isEmpty)
    }

    @Test func attributeAccessorsTrackChanges() throws {
        let context = try Library.context()
        let writer = try make(Writer.self, "Author", context)
        try context.save()
        writer.name = "a"
        #expect(writer.name == "A" && writer.isUpdated && writer.changedValues()["name"] as? String == "A")
        try context.save()
        context.refresh(writer, mergeChanges: false)
        #expect(writer.isFault && writer.name == "A" && !writer.isFault)
    }

    /// The inverse is updated when the change ends.
    @Test func toOneAccessorsUpdateInverses() throws {
        let context = try Library.context()
        let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
        let book = try make(Volume.self, "Book", context)
        book.author = a
        #expect(a.names("books") == ["Untitled"])
        book.author = b
        #expect(a.names("books").isEmpty && b.names("books") == ["Untitled"])
        book.author = nil
        #expect(b.names("books").isEmpty)
    }

    @Test func toManyAccessorsUpdateInverses() throws {
        let context = try Library.context()
        let writer = try make(Writer.self, "Author", context)
        let books = "abc".map { context.make("Book", ["title": "\($0)"]) }
        writer.books = [books[0], books[1]]
        #expect(writer.names("books") == ["a", "b"] && books[0].value(forKey: "author") as? NSManagedObject === writer)
        writer.books = [books[1], books[2]]
        #expect(books[0].value(forKey: "author") == nil && books[2].value(forKey: "author") != nil)
    }

    /// A second change through an accessor keeps the first unsaved one.
    @Test func manyToManyChangesAccumulate() throws {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let book = try make(Volume.self, "Book", context)
        let tags = "xyz".map { context.make("Tag", ["name": "\($0)"]) }
        book.tags = [tags[0]]
        try context.save()
        book.tags.insert(tags[1])
        book.tags.insert(tags[2])
        book.tags.remove(tags[0])
        #expect((book.changedValues()["tags"] as? NSSet)?.count == 2)
        try context.save()
        let fresh = try Library.context(coordinator)
        #expect(try fresh.all("Book").map { $0.names("tags") } == [["y", "z"]])
        #expect(try fresh.all("Tag", by: "name").map { $0.names("books").count } == [0, 1, 1])
    }

    @Test func valuesOfTheCurrentEventAreReported() throws {
        let context = try Library.context()
        let writer = try make(Writer.self, "Author", context)
        writer.name = "a"
        try context.save()
        writer.name = "b"
        writer.name = "c"
        #expect(writer.changedValuesForCurrentEvent()["name"] as? String == "A")
        context.processPendingChanges()
        #expect(writer.changedValuesForCurrentEvent().isEmpty && writer.changedValues().count == 1)
    }
}
