import CoreData
import Testing

/// Copies of descriptions, with which libraries build models from the parts of others.
@Suite struct CopiedDescriptionTests {
    private static func relationship(_ name: String, to entity: NSEntityDescription?, isToMany: Bool)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    /// Authors with books, a fetched property and an index.
    private static func model() -> NSManagedObjectModel {
        let author = SmallModel.entity("Author", [SmallModel.attribute("name", .stringAttributeType)])
        let book = SmallModel.entity("Book", [SmallModel.attribute("title", .stringAttributeType)])
        let (books, writer) = (
            relationship("books", to: book, isToMany: true), relationship("author", to: author, isToMany: false)
        )
        (books.inverseRelationship, writer.inverseRelationship) = (writer, books)
        let all = NSFetchedPropertyDescription()
        all.name = "all"
        all.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        all.fetchRequest?.entity = book
        author.properties += [books, all]
        book.properties += [writer]
        if let title = book.propertiesByName["title"] {
            book.indexes = [
                NSFetchIndexDescription(
                    name: "byTitle",
                    elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
            ]
        }
        return SmallModel.model([author, book])
    }

    @Test func copiedRelationshipsFindTheirInverseInTheDestination() throws {
        let model = Self.model()
        let (author, book) = try (
            #require(model.entitiesByName["Author"]), #require(model.entitiesByName["Book"])
        )
        let (writer, novel) = (NSEntityDescription(), NSEntityDescription())
        (writer.name, novel.name) = ("Writer", "Novel")
        writer.properties = author.properties.compactMap { $0.copy() as? NSPropertyDescription }
        novel.properties = book.properties.compactMap { $0.copy() as? NSPropertyDescription }
        let (books, author2) = try (
            #require(writer.relationshipsByName["books"]), #require(novel.relationshipsByName["author"])
        )
        // Until it is told otherwise, the copy leads where the original does.
        #expect(books.destinationEntity === book && books.inverseRelationship === book.relationshipsByName["author"])
        books.destinationEntity = novel
        author2.destinationEntity = writer
        #expect(books.inverseRelationship === author2 && author2.inverseRelationship === books)
        // The originals are unchanged.
        #expect(author.relationshipsByName["books"]?.inverseRelationship === book.relationshipsByName["author"])

        let context = try Library.context(Library.coordinator(SmallModel.model([writer, novel])))
        let (one, other) = (context.make("Writer"), context.make("Novel", ["title": "a"]))
        other.setValue(one, forKey: "author")
        try context.save()
        #expect(one.names("books") == ["a"])
    }

    @Test func copiedEntitiesReferToThoseOfTheirModel() throws {
        let model = Self.model()
        let copy = SmallModel.model(model.entities.compactMap { $0.copy() as? NSEntityDescription })
        let (author, book) = try (#require(copy.entitiesByName["Author"]), #require(copy.entitiesByName["Book"]))
        let (books, writer) = try (
            #require(author.relationshipsByName["books"]), #require(book.relationshipsByName["author"])
        )
        #expect(books.destinationEntity === book && books.inverseRelationship === writer)
        #expect(writer.destinationEntity === author && writer.inverseRelationship === books)
        let all = try #require(author.propertiesByName["all"] as? NSFetchedPropertyDescription)
        #expect(all.fetchRequest?.entity === book)
        #expect(book.indexes.first?.elements.first?.property === book.propertiesByName["title"])
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let context = try Library.context(Library.coordinator(copy))
        let one = context.make("Author", ["name": "A"])
        _ = context.make("Book", ["title": "b", "author": one])
        try context.save()
        #expect(one.names("books") == ["b"] && (one.value(forKey: "all") as? [NSManagedObject])?.count == 1)
    }

    @Test func copiedRelationshipsKeepWhatIsSet() throws {
        let model = Self.model()
        let book = try #require(model.entitiesByName["Book"])
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        let copy = try #require(books.copy() as? NSRelationshipDescription)
        let other = Self.relationship("other", to: nil, isToMany: false)
        copy.inverseRelationship = other
        #expect(copy.inverseRelationship === other && copy.destinationEntity === book)
        copy.inverseRelationship = nil
        copy.destinationEntity = nil
        #expect(copy.inverseRelationship == nil && copy.destinationEntity == nil)
        // A copy outlives the model of the original.
        let second = try #require(copy.copy() as? NSRelationshipDescription)
        #expect(second.destinationEntity == nil && second.inverseRelationship == nil)
    }

    @Test func copiedIndexesFindPropertiesByName() throws {
        let model = Self.model()
        let book = try #require(model.entitiesByName["Book"])
        let novel = SmallModel.entity("Novel", [SmallModel.attribute("title", .stringAttributeType)])
        novel.indexes = book.indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        #expect(novel.indexes.first?.elements.first?.property === novel.propertiesByName["title"])
        #expect(book.indexes.first?.elements.first?.property === book.propertiesByName["title"])
    }
}
