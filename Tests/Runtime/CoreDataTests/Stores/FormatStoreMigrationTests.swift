import Testing

@testable import CoreData

/// XML and binary stores that are destroyed, replaced and migrated.
@Suite struct FormatStoreMigrationTests {
    @Test(arguments: FormatStoreTests.types) func storesAreDestroyedAndReplaced(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FormatStoreTests.fill(try stack.context())
        let copy = stack.folder.appendingPathComponent("copy")
        try stack.coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: stack.url, ofType: type)
        #expect(try Data(contentsOf: copy) == stack.bytes())
        let other = try FormatStack(type, copy)
        defer { other.remove() }
        try FormatStoreTests.expectAll(try other.context())
        try stack.coordinator.destroyPersistentStore(at: copy, ofType: type)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        try stack.coordinator.destroyPersistentStore(at: copy, ofType: type)
    }

    @Test(arguments: FormatStoreTests.types, [NSSQLiteStoreType] + FormatStoreTests.types) func migratesToEveryType(
        _ type: String, _ other: String
    )
        throws
    {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FormatStoreTests.fill(try stack.context())
        let url = stack.folder.appendingPathComponent("copy")
        let copy = try stack.coordinator.migratePersistentStore(stack.store, to: url, withType: other)
        #expect(copy.type == other && copy.identifier != stack.store.identifier)
        let context = try stack.context()
        guard other != NSSQLiteStoreType else {
            // A column of a database keeps 15 digits of the decimal number.
            #expect(try context.all("Book").count == 2)
            return
        }
        try FormatStoreTests.expectAll(context)
        let again = try FormatStack(other, url)
        defer { again.remove() }
        try FormatStoreTests.expectAll(try again.context())
    }

    @Test(arguments: FormatStoreTests.types) func migratesFromSQLite(_ type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.folder.appendingPathComponent("a.sqlite"))
        let context = try Library.context(coordinator)
        let author = context.make("Author", ["name": "Austen"])
        _ = context.make("Novel", ["title": "Emma", "author": author])
        try context.save()
        let url = stack.folder.appendingPathComponent("copy")
        try coordinator.migratePersistentStore(store, to: url, withType: type)
        let again = try FormatStack(type, url)
        defer { again.remove() }
        let reader = try again.context()
        #expect(try #require(try reader.all("Author").first).names("books") == ["Emma"])
    }

    @Test(arguments: FormatStoreTests.types) func compositeAttributesRoundTrip(_ type: String) throws {
        let inner = NSCompositeAttributeDescription()
        inner.name = "position"
        inner.elements = [attribute("x", .doubleAttributeType), attribute("y", .doubleAttributeType)]
        let position = NSCompositeAttributeDescription()
        position.name = "place"
        position.elements = [attribute("city", .stringAttributeType), inner]
        let entity = NSEntityDescription()
        entity.name = "Event"
        entity.properties = [position]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try FormatStack(type, model: model)
        defer { stack.remove() }
        let context = try stack.context()
        let value: [String: Any] = ["city": "Bath", "position": ["x": 1.5]]
        _ = context.make("Event", ["place": value])
        _ = context.make("Event")
        try context.save()
        let again = try FormatStack(type, stack.url, model: model.copy() as? NSManagedObjectModel ?? model)
        defer { again.remove() }
        let reader = try again.context()
        let values = try reader.all("Event").map { $0.value(forKey: "place") as? NSDictionary }
        #expect(values.contains(nil) || values.contains([:]))
        #expect(values.contains(NSDictionary(dictionary: value)))
    }
}
