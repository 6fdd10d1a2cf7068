import ModelSchema

/// Models for tests.
enum SampleModel {
    /// Authors with books, which are items with a relationship to a shelf that has no inverse.
    static var books: Model {
        var model = Model(name: "Books")
        var author = Entity(name: "Author")
        author.attributes = [Attribute(name: "name", type: .string)]
        var books = Relationship(name: "books", destinationName: "Book")
        books.isToMany = true
        books.isOptional = true
        books.isOrdered = true
        books.inverseName = "author"
        author.relationships = [books]
        var book = Entity(name: "Book")
        book.parentName = "Item"
        var published = Attribute(name: "published", type: .date)
        published.isOptional = true
        var age = Attribute(name: "age", type: .integer32)
        age.isTransient = true
        book.attributes = [published, age]
        var reviews = FetchedProperty(name: "reviews")
        reviews.fetchRequest = FetchRequestTemplate(name: "r", entityName: "Author")
        book.fetchedProperties = [reviews]
        var toAuthor = Relationship(name: "author", destinationName: "Author")
        toAuthor.inverseName = "books"
        book.relationships = [toAuthor]
        var item = Entity(name: "Item")
        item.isAbstract = true
        var related = Relationship(name: "related", destinationName: "Item")
        related.isToMany = true
        related.maximumCount = 5
        related.isOptional = true
        item.relationships = [related]
        model.entities = [author, book, item]
        return model
    }

    /// Names with a special meaning in the output languages of graphs.
    static let hostileNames = [
        "<b>&\"'</b>", "]]>", "--> <!-- -->", "a\nb\tc\u{1B}[31m", "end\"];}", "\\N\\\"", "{x|y}", "class", "#quot;",
        "👩‍👩‍👧 family", "日本語", "\u{202E}right", "", "a:b;c", "%% comment", "~T~", "`code`", "o", "direction LR",
        "\u{FFFF}\u{0}",
        String(repeating: "long", count: 500), "e\u{301}" + String(repeating: "\u{301}", count: 300),
    ]

    /// A model in which all elements have such names.
    static var hostile: Model {
        var model = Model(name: "M")
        for (index, name) in hostileNames.enumerated() {
            var entity = Entity(name: name)
            entity.isAbstract = index.isMultiple(of: 3)
            var attribute = Attribute(name: name, type: .undefined)
            attribute.unknownType = name
            entity.attributes = [attribute]
            let other = hostileNames[(index + 1) % hostileNames.count]
            entity.relationships = [
                Relationship(name: name, destinationName: other), Relationship(name: "self", destinationName: name),
                Relationship(name: name, destinationName: "gone \(name)"),
            ]
            entity.parentName = index == 2 ? hostileNames[4] : index == 4 ? hostileNames[2] : nil
            model.entities.append(entity)
        }
        return model
    }
}
