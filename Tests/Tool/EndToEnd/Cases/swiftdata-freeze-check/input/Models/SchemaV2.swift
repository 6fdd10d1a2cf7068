import Foundation
import SwiftData

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

    @Model final class Book {
        @Attribute(.unique) var id: UUID
        @Attribute(originalName: "title") var name = ""
        var author: Author?
        var price: Price?
        var pageCount: Int = 0

        init(id: UUID) { self.id = id }
    }

    @Model final class Author {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

        init(name: String) { self.name = name }
    }
}
