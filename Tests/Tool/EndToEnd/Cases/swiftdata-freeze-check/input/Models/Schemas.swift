import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

    @Model final class Book {
        @Attribute(.unique) var id: UUID
        var title = ""
        var author: Author?
        var price: Price?

        init(id: UUID) { self.id = id }
    }

    @Model final class Author {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

        init(name: String) { self.name = name }
    }
}

struct Price: Codable {
    var amount: Decimal
    var currency: Currency
}

enum Currency: String, Codable {
    case euro, dollar
}
