import CoreData
import Testing

/// Stores that cannot be migrated in their current state, and several stores in one container.
@Suite(.serialized) struct MigrationStoresTests {
    private static func entity(_ attributes: String) -> String {
        "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>\(attributes)</entity>"
    }

    private static let added = entity("<attribute name=\"y\" optional=\"YES\" attributeType=\"String\"/>")

    private func filled(_ entities: String = entity("")) throws -> MigrationFixture {
        let fixture = try MigrationFixture(entities)
        try fixture.fill { context throws in
            for number in 0..<300 { _ = context.make("A", ["x": "\(number) " + String(repeating: "x", count: 50)]) }
        }
        return fixture
    }

    /// Returns the error of opening a store with another model, and checks that the file is unchanged.
    private func failure(
        _ fixture: MigrationFixture, _ entities: String, _ options: [AnyHashable: Any] = [:]
    ) throws -> NSError {
        let before = try Data(contentsOf: fixture.store.url)
        let model = try MigrationFixture.model(entities)
        let error = try #require(
            nsError { _ = try fixture.store.open(MigrationFixture.options.merging(options) { $1 }, model: model) })
        #expect(try Data(contentsOf: fixture.store.url) == before)
        #expect(error.domain == NSCocoaErrorDomain)
        return error
    }

    @Test func lockedStoreIsNotMigrated() throws {
        let fixture = try filled()
        let database = try fixture.store.database()
        try database.run("BEGIN IMMEDIATE")
        let error = try failure(fixture, Self.added, [NSPersistentStoreTimeoutOption: 0.1])
        #expect(error.code == NSPersistentStoreTimeoutError)
        #expect(error.localizedDescription.contains("cannot be migrated"), "\(error.localizedDescription)")
        try database.run("ROLLBACK")
        try fixture.migrate(to: Self.added) { context throws in #expect(try context.all("A").count == 300) }
    }

    @Test func damagedStoreIsNotMigrated() throws {
        let fixture = try filled(Self.added)
        fixture.store.isSound = false
        let root = try #require(
            try fixture.rows("SELECT rootpage FROM sqlite_master WHERE name = 'ZA'").first?.first ?? nil)
        let size = try #require(try fixture.rows("PRAGMA page_size").first?.first ?? nil)
        var bytes = try Data(contentsOf: fixture.store.url)
        let page = try #require(Int(size))
        let start = try (#require(Int(root)) - 1) * page
        bytes.replaceSubrange(start..<start + page, with: Data(repeating: 0xFF, count: page))
        try bytes.write(to: fixture.store.url)
        // A column is removed, so that the rows must be read.
        let error = try failure(fixture, Self.entity(""))
        #expect([CocoaError.fileReadCorruptFile.rawValue, NSMigrationError].contains(error.code))
        #expect(error.localizedDescription.contains("malformed"), "\(error.localizedDescription)")
    }

    @Test func filesOfOtherProgramsAreNotMigrated() throws {
        let fixture = try MigrationFixture(Self.entity(""))
        fixture.store.isSound = false
        try Data("text".utf8).write(to: fixture.store.url)
        #expect(try failure(fixture, Self.added).code == CocoaError.fileReadCorruptFile.rawValue)
        try FileManager.default.removeItem(at: fixture.store.url)
        try TestDatabase(path: fixture.store.url.path).run("CREATE TABLE t (a)")
        #expect(try failure(fixture, Self.added).code == NSPersistentStoreIncompatibleSchemaError)
    }

    // MARK: Several stores

    /// Returns a model with an entity in an XML store and one in a SQLite store.
    private static func model(_ modifier: String, _ more: String, _ type: String) -> String {
        """
        <entity name="A" versionHashModifier="\(modifier)"><attribute name="x" optional="YES" attributeType="String"/>\(more)</entity>
        <entity name="B"><attribute name="n" optional="YES" attributeType="\(type)"/></entity>
        <configuration name="One"><memberEntity name="A"/></configuration>
        <configuration name="Two"><memberEntity name="B"/></configuration>
        """
    }

    private static let more =
        "<attribute name=\"y\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"d\"/>"

    /// Creates both stores and loads them with another model; the errors are passed by configuration name.
    private func load(
        _ type: String, _ body: (NSPersistentContainer, [String: NSError], URL) throws -> Void
    ) throws {
        let modifier = UUID().uuidString
        let fixture = try MigrationFixture(Self.model(modifier, "", "Integer 32"))
        fixture.store.isSound = false
        func container(_ model: NSManagedObjectModel) -> (NSPersistentContainer, [String: NSError]) {
            let container = NSPersistentContainer(name: "M", managedObjectModel: model)
            container.persistentStoreDescriptions = [
                ("One", NSXMLStoreType), ("Two", NSSQLiteStoreType),
            ].map { name, type in
                let description = NSPersistentStoreDescription(url: fixture.store.folder.appendingPathComponent(name))
                (description.configuration, description.type) = (name, type)
                return description
            }
            let errors = Recorder<(String, NSError)>()
            container.loadPersistentStores { description, error in
                if let error { errors.values.append((description.configuration ?? "", error as NSError)) }
            }
            return (container, Dictionary(errors.values) { first, _ in first })
        }
        let (old, errors) = container(fixture.source)
        #expect(errors.isEmpty)
        let context = old.viewContext
        try context.performAndWait {
            _ = context.make("A", ["x": "1"])
            _ = context.make("B", ["n": 100_000])
            try context.save()
        }
        try TestStore.close(context)
        // An XML store does not contain its model.
        try MappingFixture.withResources(["Model.mom": try MappingArchive.model(fixture.source)]) {
            let (new, errors) = container(try MigrationFixture.model(Self.model(modifier, Self.more, type)))
            try body(new, errors, fixture.store.folder)
            try TestStore.close(new.viewContext)
        }
    }

    @Test func storesOfTwoTypesMigrateInOneContainer() throws {
        try load("Double") { container, errors, _ in
            #expect(errors.isEmpty)
            let context = container.viewContext
            try context.performAndWait { () throws in
                #expect(try context.all("A").map { $0.value(forKey: "y") as? String } == ["d"])
                #expect(try context.all("B").map { $0.value(forKey: "n") as? Double } == [100_000])
            }
        }
    }

    /// Neither a value that does not fit nor a change that cannot be inferred prevents the migration of another
    /// configuration's store.
    @Test(arguments: [("Integer 16", NSMigrationError), ("String", NSMigrationMissingMappingModelError)])
    func aFailedMigrationLeavesOtherStoresAlone(type: String, code: Int) throws {
        try load(type) { container, errors, folder in
            #expect(errors.mapValues(\.code) == ["Two": code])
            #expect(errors["Two"]?.localizedDescription.contains("“B.n”") == true)
            let context = container.viewContext
            try context.performAndWait { () throws in
                #expect(try context.all("A").map { $0.value(forKey: "y") as? String } == ["d"])
            }
            let second = folder.appendingPathComponent("Two").path
            #expect(try TestDatabase(path: second).rows("SELECT ZN, typeof(ZN) FROM ZB") == [["100000", "integer"]])
        }
    }
}
