import SwiftData
import Testing

@Suite struct ObjectTests {
    @Test func insertedModelIsFetchedBySameContext() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now, name: "a")
        #expect(item.modelContext == nil)
        context.insert(item)
        #expect(item.modelContext === context)
        #expect(context.hasChanges)
        let found = try context.fetch(FetchDescriptor<Item>())
        #expect(found.count == 1)
        #expect(found.first === item)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 1)
    }

    @Test func identifiersFromBeforeTheInsertionFindTheModel() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now, name: "a")
        let identifier = item.persistentModelID
        context.insert(item)
        #expect(context.model(for: identifier) === item)
        #expect(context.registeredModel(for: identifier) as Item? === item)
        try context.save()
        #expect(context.model(for: identifier) === item)
        #expect(context.model(for: item.persistentModelID) === item)
    }

    @Test func valuesArriveInAnotherContext() throws {
        let context = try makeContext()
        let book = Book(title: "Emma", pages: 300, genre: .poetry)
        book.mood = .sad
        book.tags = ["a", "b"]
        book.cover = Data([1, 2, 3])
        book.cached = 9
        let author = Author(name: "Austen")
        book.author = author
        context.insert(book)
        try context.save()
        let other = ModelContext(context.container)
        let found = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        #expect(found !== book)
        #expect(found == book)
        #expect(found.id == book.id)
        #expect(found.title == "Emma" && found.pages == 300)
        #expect(found.genre == .poetry && found.mood == .sad)
        #expect(found.format == Format(width: 10, height: 20, unit: "cm"))
        #expect(found.tags == ["a", "b"])
        #expect(found.cover == Data([1, 2, 3]))
        #expect(found.cached == 7)
        #expect(found.created == book.created)
        #expect(found.author?.name == "Austen")
        #expect(found.author?.books.map(\.title) == ["Emma"])
        #expect(found.persistentModelID == book.persistentModelID)
    }

    @Test func inverseIsSetAtOnce() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        context.insert(author)
        let book = Book(title: "B")
        book.author = author
        #expect(book.modelContext === context)
        #expect(author.books.count == 1)
        let other = Book(title: "C")
        author.books.append(other)
        #expect(other.modelContext === context)
        #expect(other.author === author)
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
    }

    @Test func assigningUnmanagedObjectInsertsIt() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        let book = Book(title: "B")
        context.insert(book)
        book.author = author
        #expect(author.modelContext === context)
        #expect(author.books.first === book)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
    }

    @Test func cascadeDeletesBooks() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        author.books = [Book(title: "1"), Book(title: "2")]
        context.insert(author)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
        context.delete(author)
        #expect(author.isDeleted)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
        #expect(author.modelContext == nil)
    }

    @Test func nullifyKeepsAuthor() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        let book = Book(title: "1", author: author)
        context.insert(book)
        try context.save()
        context.delete(book)
        try context.save()
        #expect(author.books.isEmpty)
        #expect(try context.fetch(FetchDescriptor<Author>()).count == 1)
    }

    @Test func rollbackForgetsChanges() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now, name: "a")
        context.insert(item)
        try context.save()
        item.name = "b"
        let discarded = Item(timestamp: .now, name: "c")
        context.insert(discarded)
        context.rollback()
        #expect(discarded.name == "c" && discarded.modelContext == nil)
        #expect(item.name == "a")
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 1)
        #expect(!context.hasChanges)
    }

    @Test func uniqueInsertUpdatesTheStoredRow() throws {
        let context = try makeContext()
        let first = Author(name: "A")
        context.insert(first)
        try context.save()
        let second = Author(name: "A")
        second.birth = Date(timeIntervalSinceReferenceDate: 5)
        context.insert(second)
        try context.save()
        let found = try context.fetch(FetchDescriptor<Author>())
        #expect(found.count == 1)
        #expect(found.first?.birth == Date(timeIntervalSinceReferenceDate: 5))
        #expect(second.birth == Date(timeIntervalSinceReferenceDate: 5))
        #expect(second.persistentModelID == first.persistentModelID)
    }

    @Test func equalCompoundKeysAreUpserted() throws {
        let context = try makeContext()
        context.insert(Tag(name: "a", scope: "x"))
        context.insert(Tag(name: "a", scope: "y"))
        try context.save()
        context.insert(Tag(name: "a", scope: "x"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
    }

    @Test func manyToManyRelationshipsAreSavedOnBothSides() throws {
        let context = try makeContext()
        let one = Tag(name: "1"), two = Tag(name: "2")
        let book = Book(title: "B")
        #expect(book.tagsInOrder == nil)
        context.insert(book)
        #expect(book.tagsInOrder == nil)
        book.tagsInOrder = [one, two]
        try context.save()
        #expect(Set(book.tagsInOrder?.map(\.name) ?? []) == ["1", "2"])
        #expect(one.books?.first === book)
        let other = ModelContext(context.container)
        let found = try #require(try other.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)])).first)
        #expect(found.books?.count == 1)
    }

    @Test func identifierChangesWithFirstSave() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now)
        context.insert(item)
        let before = item.persistentModelID
        let set: Set<Item> = [item]
        try context.save()
        #expect(item.persistentModelID != before)
        #expect(set.contains(item))
        let id = item.persistentModelID
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        #expect(decoded == id)
        #expect(context.model(for: decoded) as? Item === item)
        let registered: Item? = context.registeredModel(for: id)
        #expect(registered === item)
        let none: Item? = ModelContext(context.container).registeredModel(for: id)
        #expect(none == nil)
    }

    @MainActor @Test func mainContextIsShared() throws {
        let container = try makeContainer(Item.self)
        #expect(container.mainContext === container.mainContext)
        #expect(container.mainContext.autosaveEnabled)
        #expect(!ModelContext(container).autosaveEnabled)
        container.mainContext.insert(Item(timestamp: .now))
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 1)
    }

    @Test func changesOfAnotherContextArriveWithTheNextFetch() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now, name: "a")
        context.insert(item)
        try context.save()
        let other = ModelContext(context.container)
        let copy = try #require(try other.fetch(FetchDescriptor<Item>()).first)
        copy.name = "b"
        try other.save()
        _ = try context.fetch(FetchDescriptor<Item>())
        #expect(item.name == "b")
        other.delete(copy)
        try other.save()
        #expect(try context.fetch(FetchDescriptor<Item>()).isEmpty)
    }

    @Test func batchDeletionRemovesMatchingModels() throws {
        let context = try makeContext()
        for number in 0..<10 { context.insert(Item(timestamp: .now, name: "\(number)", count: number)) }
        try context.save()
        try context.delete(model: Item.self, where: #Predicate { $0.count < 5 })
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 5)
        try context.delete(model: Item.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
    }

    @Test func notificationsListIdentifiers() throws {
        let context = try makeContext()
        nonisolated(unsafe) var inserted: [PersistentIdentifier] = []
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { note in
            let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
            inserted = note.userInfo?[key] as? [PersistentIdentifier] ?? []
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let item = Item(timestamp: .now)
        context.insert(item)
        try context.save()
        #expect(inserted == [item.persistentModelID])
    }

    @Test func fileIsReopened() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("x.store")
        do {
            let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url))
            let context = ModelContext(container)
            context.insert(Item(timestamp: .now, name: "kept"))
            try context.save()
        }
        let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url))
        #expect(try ModelContext(container).fetch(FetchDescriptor<Item>()).map(\.name) == ["kept"])
    }

    @Test func observationSeesChanges() throws {
        let item = Item(timestamp: .now)
        nonisolated(unsafe) var changes = 0
        withObservationTracking {
            _ = item.name
        } onChange: {
            changes += 1
        }
        item.name = "b"
        #expect(changes == 1)
    }
}
