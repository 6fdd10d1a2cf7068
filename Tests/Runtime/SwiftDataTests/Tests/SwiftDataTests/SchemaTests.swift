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

    @Test func coreDataModelsFitTheStoresOfContainers() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
        defer { try? FileManager.default.removeItem(at: url) }
        let context = ModelContext(
            try ModelContainer(for: Author.self, Tag.self, configurations: ModelConfiguration(url: url)))
        context.insert(Author(name: "A"))
        try context.save()
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Author.self, Tag.self]))
        #expect(Set(model.entitiesByName.keys) == ["Author", "Book", "Tag"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: true, NSMigratePersistentStoresAutomaticallyOption: false])
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        #expect(NSManagedObjectModel.makeManagedObjectModel(for: [NotesV1.Note.self, NotesV2.Note.self]) == nil)
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

    @Test func configurationsHaveSeparateStores() throws {
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

    @Test func schemasAreEncodedAndDecoded() throws {
        let schema = Schema([Author.self, Tag.self], version: Schema.Version(1, 2, 0))
        let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
        #expect(decoded == schema && decoded.entities.count == schema.entities.count)
        #expect(decoded.entitiesByName["Book"]?.attributesByName["cover"]?.isOptional == true)
        #expect(decoded.entitiesByName["Tag"]?.uniquenessConstraints == [["name", "scope"]])
        let configuration = ModelConfiguration(schema: decoded, isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: decoded, configurations: configuration))
        context.insert(Author(name: "A"))
        try context.save()
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try schema.save(to: url)
        #expect(try Schema.load(from: url) == schema)
    }

    @Test func schemasOfOtherVersionsOfClassesAreNotDecoded() throws {
        let text = String(decoding: try JSONEncoder().encode(Schema([Item.self])), as: UTF8.self)
        func decode(_ old: String, _ new: String) throws {
            #expect(text.contains(old))
            _ = try JSONDecoder().decode(Schema.self, from: Data(text.replacingOccurrences(of: old, with: new).utf8))
        }
        #expect(throws: DecodingError.self) { try decode("timestamp", "date") }
        #expect(throws: DecodingError.self) { try decode("4ItemC", "4ItenC") }
        try decode("4ItemC", "4ItemC")
    }

    @Test func schemasOfOtherEncodingsAreNotDecoded() throws {
        let data = try JSONEncoder().encode(Schema([Item.self]))
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var version = try #require(object["encodingVersion"] as? [String: Any])
        version["major"] = 2
        object["encodingVersion"] = version
        let other = try JSONSerialization.data(withJSONObject: object)
        #expect {
            try JSONDecoder().decode(Schema.self, from: other)
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.debugDescription.contains("encoding version 2.0.0")
        }
    }
}
