import SwiftData
import Testing

/// Deletions: of models, and of all models that meet a condition.
@Suite struct DeletionTests {
    // MARK: Unknown models

    @Test func anUnknownModelMatchesNoModel() throws {
        let context = try makeContext()
        context.insert(Book(title: "without author"))
        context.insert(Book(title: "with author", author: Author(name: "A")))
        try context.save()
        let draft = Author(name: "draft")
        let id = draft.persistentModelID
        let foreign = try makeContext()
        let stranger = Author(name: "A")
        foreign.insert(stranger)
        try foreign.save()
        let strangerID = stranger.persistentModelID
        let ids = [id, strangerID]
        // Also over unsaved changes.
        for changes in [false, true] {
            if changes { context.insert(Book(title: "unsaved")) }
            let count = changes ? 3 : 2
            func matches(_ predicate: Predicate<Book>) throws -> Int {
                try context.fetch(FetchDescriptor(predicate: predicate)).count
            }
            #expect(try matches(#Predicate { $0.author?.persistentModelID == id }) == 0)
            #expect(try matches(#Predicate { $0.author?.persistentModelID == strangerID }) == 0)
            #expect(try matches(#Predicate { $0.author?.persistentModelID != id }) == count)
            #expect(try matches(#Predicate { $0.author?.persistentModelID != strangerID }) == count)
            #expect(try matches(#Predicate { ids.contains($0.persistentModelID) }) == 0)
        }
        try context.delete(model: Book.self, where: #Predicate { $0.author?.persistentModelID == id })
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
    }

    // MARK: Conditions

    @Test func cascadedModelsStayDeleted() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        context.insert(author)
        let book = Book(title: "B", author: author)
        context.insert(book)
        try context.save()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        #expect(same.pages == 100)
        try context.delete(model: Author.self)
        book.pages = 5
        try context.save()
        _ = try other.fetch(FetchDescriptor<Book>())
        same.pages = 6
        try other.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 0)
    }

    @Test func referencesToDeletedModelsAreCleared() throws {
        let container = try makeContainer(Shelf.self)
        let writer = ModelContext(container)
        writer.insert(Volume("V", Shelf("S")))
        try writer.save()
        let contexts = [ModelContext(container), ModelContext(container)]
        let volumes = try contexts.map { try #require(try $0.fetch(FetchDescriptor<Volume>()).first) }
        #expect(volumes.map(\.title) == ["V", "V"])
        try contexts[0].delete(model: Shelf.self)
        _ = try contexts[1].fetch(FetchDescriptor<Shelf>())
        #expect(volumes.map { $0.shelf?.name } == [nil, nil])
        #expect(volumes.map { $0.cover?.text } == [nil, nil])
    }

    @Test func aDeletionThatThrowsKeepsUnsavedModels() throws {
        let container = try makeContainer(Guarded.self)
        let context = ModelContext(container)
        let stored = Guarded("stored")
        stored.guards = [Guard()]
        context.insert(stored)
        try context.save()
        context.insert(Guarded("unsaved"))
        #expect(throws: (any Error).self) { try context.delete(model: Guarded.self) }
        try context.save()
        let names = try ModelContext(container).fetch(FetchDescriptor<Guarded>()).map(\.name)
        #expect(Set(names) == ["stored", "unsaved"])
    }

    @Test func aDeletionIncludesUnsavedModels() throws {
        let context = try makeContext()
        context.insert(Author(name: "stored"))
        try context.save()
        context.insert(Author(name: "unsaved"))
        try context.delete(model: Author.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Author>()) == 0)
    }

    // MARK: Models

    @Test func aModelOfAnotherContextTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try makeContext()
            let item = Item(timestamp: .now)
            context.insert(item)
            try context.save()
            ModelContext(context.container).delete(item)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("belongs to another context"), "\(message)")
    }

    @Test func aModelInNoContextIsNotDeleted() throws {
        let context = try makeContext()
        let item = Item(timestamp: .now, name: "x")
        context.delete(item)
        #expect(!context.hasChanges && item.name == "x")
        context.insert(item)
        try context.save()
        context.delete(item)
        try context.save()
        context.delete(item)
        #expect(!context.hasChanges)
    }

    @Test func anUnsavedModelCanBeInsertedAgain() throws {
        let context = try makeContext()
        let author = Author(name: "A")
        let book = Book(title: "B", author: author)
        context.insert(book)
        for process in [
            { context.processPendingChanges() }, { try context.save() },
            { _ = try context.fetch(FetchDescriptor<Book>()) },
        ] {
            context.delete(book)
            try process()
            context.insert(book)
            #expect(book.title == "B" && book.modelContext === context && !book.isDeleted)
        }
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
        #expect(stored.map(\.title) == ["B"])
        #expect(stored.first?.format.unit == "cm")
    }

    // MARK: Discarded models

    @Test func discardedModelsAreReleased() throws {
        let context = try makeContext()
        weak var author: Author?
        weak var book: Book?
        weak var tag: Tag?
        do {
            let (first, second, third) = (Author(name: "A"), Book(title: "B"), Tag(name: "T"))
            second.author = first
            second.tagsInOrder = [third]
            context.insert(second)
            (author, book, tag) = (first, second, third)
            context.rollback()
            #expect(second.author === first)
        }
        #expect(author == nil && book == nil && tag == nil)
    }

    @Test func discardedModelsKeepTheirRelationships() throws {
        let context = try makeContext()
        let (author, book, tag) = (Author(name: "A"), Book(title: "B"), Tag(name: "T"))
        book.author = author
        tag.books = [book]
        context.insert(book)
        context.insert(tag)
        context.rollback()
        context.insert(author)
        context.insert(book)
        context.insert(tag)
        #expect(author.books.map(\.title) == ["B"] && book.author === author)
        #expect(book.tagsInOrder?.map(\.name) == ["T"] && tag.books?.map(\.title) == ["B"])
        try context.save()
    }
}

@Model final class Shelf {
    var name: String
    @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []
    @Relationship(deleteRule: .cascade) var label: ShelfLabel?

    init(_ name: String) { self.name = name }
}

@Model final class ShelfLabel {
    var text: String = "label"
    @Relationship(inverse: \Volume.cover) var volumes: [Volume] = []

    init() {}
}

@Model final class Volume {
    var title: String
    var shelf: Shelf?
    var cover: ShelfLabel?

    init(_ title: String, _ shelf: Shelf) {
        self.title = title
        self.shelf = shelf
        let label = ShelfLabel()
        shelf.label = label
        cover = label
    }
}

@Model final class Guarded {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Guard.guarded) var guards: [Guard] = []

    init(_ name: String) { self.name = name }
}

@Model final class Guard {
    var guarded: Guarded?

    init() {}
}
