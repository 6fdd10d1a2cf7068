import SwiftData

@Model
final class Item {
    var timestamp: Date
    var name: String = ""
    var count: Int = 0
    var price: Double?
    var isDone = false

    init(timestamp: Date, name: String = "", count: Int = 0) {
        self.timestamp = timestamp
        self.name = name
        self.count = count
    }
}

@Model
class Author {
    @Attribute(.unique) var name: String
    var birth: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.author)
    var books: [Book] = []

    init(name: String) { self.name = name }

    var loudName: String { name.uppercased() }
}

@Model
class Book {
    #Index<Book>([\.title], [\.title, \.pages])
    var id: UUID
    var title: String
    var pages: Int
    var author: Author?
    var genre: Genre
    var mood: Mood?
    var format: Format
    var tags: [String]
    var tagsInOrder: [Tag]?
    @Transient var cached: Int = 7
    @Attribute(.externalStorage) var cover: Data?
    let created = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<1_000_000)))

    init(title: String, pages: Int = 100, author: Author? = nil, genre: Genre = .fiction) {
        id = UUID()
        self.title = title
        self.pages = pages
        self.author = author
        self.genre = genre
        format = Format(width: 10, height: 20, unit: "cm")
        tags = []
    }

    var summary: String { "\(title) (\(pages))" }
    var area: Int { format.width * format.height }
}

enum Genre: String, Codable, CaseIterable {
    case fiction, poetry, science
}

enum Mood: Codable {
    case happy, sad
}

struct Format: Codable, Equatable {
    var width: Int
    var height: Int
    var unit: String?
    var sizes: [Int] = [1, 2]
}

@Model
final class Tag {
    #Unique<Tag>([\.name, \.scope])
    var name: String
    var scope: String
    @Relationship(inverse: \Book.tagsInOrder) var books: [Book]?

    init(name: String, scope: String = "") {
        self.name = name
        self.scope = scope
    }
}

func makeContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    let schema = Schema(types)
    return try ModelContainer(
        for: schema, configurations: [ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)])
}

/// A context whose container is kept by it.
func makeContext() throws -> ModelContext { ModelContext(try makeContainer(Item.self, Author.self, Tag.self)) }
