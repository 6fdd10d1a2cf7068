import CoreData
import SwiftData
import Testing

@Suite struct SchemaTests {
    @Test func entitiesAndReachableModels() throws {
        let schema = Schema([Author.self])
        #expect(schema.entities.map(\.name) == ["Author", "Book", "Tag"])
        let book = try #require(schema.entitiesByName["Book"])
        #expect(book.relationshipsByName["author"]?.inverseName == "books")
        #expect(book.attributesByName["title"]?.isOptional == false)
        #expect(book.indices == [["title"], ["title", "pages"]])
        #expect(schema.entitiesByName["Author"]?.uniquenessConstraints == [["name"]])
        #expect(schema.entitiesByName["Tag"]?.uniquenessConstraints == [["name", "scope"]])
        #expect(book.attributesByName["cached"] == nil)
        #expect(Schema.entityName(for: NotesV2.Note.self) == "Note")
    }

    @Test func configurationsAreChecked() throws {
        let one = ModelConfiguration("a", schema: Schema([Item.self]), isStoredInMemoryOnly: true)
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelContainer(for: Schema([Item.self]), configurations: [one, one])
        }
        #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
            try ModelContainer(for: Schema([Tag.self]), configurations: [one])
        }
    }

    @Test func severalConfigurations() throws {
        let items = ModelConfiguration("items", schema: Schema([Item.self]), isStoredInMemoryOnly: true)
        let tags = ModelConfiguration(
            "tags", schema: Schema([Tag.self, Book.self, Author.self]), isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Schema([Item.self, Tag.self]), configurations: [items, tags])
        let context = ModelContext(container)
        context.insert(Item(timestamp: .now))
        context.insert(Tag(name: "t"))
        try context.save()
        let stores = Set([
            try #require(context.fetch(FetchDescriptor<Item>()).first).persistentModelID.storeIdentifier,
            try #require(context.fetch(FetchDescriptor<Tag>()).first).persistentModelID.storeIdentifier,
        ])
        #expect(stores.count == 2)
    }
}
