import ModelSchema

extension Model {
    /// Returns a model with two entities: `Book` with attributes and relationships, and its destination `Author`.
    static func library(_ edit: (inout Model) -> Void = { _ in }) -> Model {
        var model = Model(name: "M")
        var book = Entity(name: "Book")
        book.attributes = [Attribute(name: "title", type: .string), Attribute(name: "pages", type: .integer16)]
        book.attributes[0].isOptional = true
        var authors = Relationship(name: "authors", destinationName: "Author")
        (authors.isOptional, authors.isToMany) = (true, true)
        var publisher = Relationship(name: "publisher", destinationName: "Author")
        publisher.isOptional = true
        book.relationships = [authors, publisher]
        model.entities = [Entity(name: "Author"), book]
        edit(&model)
        return model
    }
}
