import ModelSchema

/// Two versions of a small model.
///
/// From the first to the second, `Book.pages` gets another type, `Book.isbn` is new and `Author` stays the same.
enum Library {
    static let first = model("Library") { book in
        var pages = Attribute(name: "pages", type: .integer32)
        pages.isOptional = true
        book.attributes.append(pages)
    }

    static let second = model("Library 2") { book in
        var pages = Attribute(name: "pages", type: .integer64)
        pages.isOptional = true
        var isbn = Attribute(name: "isbn", type: .string)
        isbn.isOptional = true
        book.attributes += [pages, isbn]
    }

    private static func model(_ name: String, _ change: (inout Entity) -> Void) -> Model {
        var author = Entity(name: "Author")
        author.attributes = [Attribute(name: "name", type: .string)]
        var books = Relationship(name: "books", destinationName: "Book")
        books.isToMany = true
        books.inverseName = "author"
        author.relationships = [books]
        var book = Entity(name: "Book")
        book.attributes = [Attribute(name: "title", type: .string)]
        var owner = Relationship(name: "author", destinationName: "Author")
        owner.inverseName = "books"
        owner.isOptional = true
        book.relationships = [owner]
        change(&book)
        var model = Model(name: name)
        model.entities = [author, book]
        return model
    }

    /// The mappings that Xcode creates for the two versions.
    static var mapping: MappingSourceFixture { MappingSourceFixture() }
}
