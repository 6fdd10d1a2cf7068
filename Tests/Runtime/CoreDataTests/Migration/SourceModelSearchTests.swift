import CoreData
import Testing

/// Stores that are migrated from the model that they contain.
@Suite struct SourceModelSearchTests {
    private static let x = "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>"
    private static let y = "<attribute name=\"y\" optional=\"YES\" attributeType=\"String\"/>"

    /// A modifier that makes the hashes of a test's models unique, since the bundle is next to the test program.
    private let modifier = UUID().uuidString

    private func document(_ attributes: String, entities: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="A" versionHashModifier="\(modifier)">\(attributes)</entity>\(entities)</model>
        """
    }

    /// Opens a store with the last version of a model in a bundle next to the test program.
    ///
    /// - Returns: The error, or `nil` if the store was migrated.
    private func open(_ written: String, versions: [String]) throws -> NSError? {
        let fixture = try CompiledFixture()
        let store = try TestStore(fixture.load(written))
        let filled = try store.open()
        try filled.performAndWait {
            _ = filled.make("A", ["x": "1"])
            try filled.save()
        }
        try TestStore.close(filled)
        let before = try Data(contentsOf: store.url)
        let names = versions.indices.map { "V\($0)" }
        let bundle = try fixture.compile(
            "App", versions: Dictionary(uniqueKeysWithValues: zip(names, versions)), current: names.last)
        let shipped = Bundle.main.bundleURL.appendingPathComponent("\(modifier).momd")
        try FileManager.default.copyItem(at: bundle, to: shipped)
        defer { try? FileManager.default.removeItem(at: shipped) }
        let model = try #require(NSManagedObjectModel(contentsOf: shipped))
        do {
            let context = try store.open(MigrationFixture.options, model: model)
            try context.performAndWait {
                let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A"))
                #expect(objects.map { $0.value(forKey: "x") as? String } == ["1"])
            }
            try TestStore.close(context)
            return nil
        } catch {
            #expect(try Data(contentsOf: store.url) == before)
            return error as NSError
        }
    }

    @Test func storeOfANewerVersionIsRejected() throws {
        let old = [document(Self.x), document(Self.x, entities: "<entity name=\"B\"/>")]
        let error = try #require(try open(document(Self.x + Self.y, entities: "<entity name=\"B\"/>"), versions: old))
        #expect(error.code == 134130)
        #expect(error.localizedDescription.contains("“A.y”"))
        #expect(error.localizedDescription.contains("Open the store with the app that wrote it"))
        let third = document(Self.x, entities: "<entity name=\"B\"/><entity name=\"C\"/>")
        #expect(try #require(try open(third, versions: old)).localizedDescription.contains("the entity “C”"))
    }

    @Test func storeOfAVersionThatTheBundleLacksIsMigratedIfNothingIsDropped() throws {
        let renamed = "<attribute name=\"z\" optional=\"YES\" attributeType=\"String\" elementID=\"y\"/>"
        #expect(try open(document(Self.x + Self.y), versions: [document(Self.x), document(Self.x + renamed)]) == nil)
    }

    @Test func unversionedModelsMayDropAnything() throws {
        #expect(try open(document(Self.x + Self.y), versions: [document(Self.x)]) == nil)
    }
}
