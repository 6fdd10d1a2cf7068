import CoreData
import Testing

/// Models merged from several others, and models found in bundles.
@Suite struct MergingTests {
    private let fixture: CompiledFixture

    init() throws {
        fixture = try CompiledFixture()
    }

    private static func xml(_ entities: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model documentVersion=\"1.0\">\(entities)</model>"
    }

    private static let book = xml("<entity name=\"Book\"><attribute name=\"title\" attributeType=\"String\"/></entity>")
    private static let bookWithPages = xml(
        "<entity name=\"Book\"><attribute name=\"title\" attributeType=\"String\"/>"
            + "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\"/></entity>")
    private static let author = xml(
        "<entity name=\"Author\"/><configuration name=\"Local\"><memberEntity name=\"Author\"/></configuration>")

    @Test func mergingCombinesEntitiesAndConfigurations() throws {
        let models = [try fixture.load(Self.book), try fixture.load(Self.author), try fixture.load(Self.book)]
        let merged = try #require(NSManagedObjectModel(byMerging: models))
        #expect(merged.entitiesByName.keys.sorted() == ["Author", "Book"])
        #expect(merged.configurations == ["Local"])
        #expect(merged.entities(forConfigurationName: "Local") == [try #require(merged.entitiesByName["Author"])])
        #expect(merged.entityVersionHashesByName["Book"] == models[0].entityVersionHashesByName["Book"])
        #expect(merged.entitiesByName["Book"] !== models[0].entitiesByName["Book"])
        #expect(NSManagedObjectModel(byMerging: []) == nil)
        #expect(NSManagedObjectModel(byMerging: nil) == nil)
    }

    @Test func theCurrentVersionIsLoaded() throws {
        let url = try fixture.compile("Store", versions: ["A": Self.book, "B": Self.bookWithPages], current: "B")
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        #expect(model.entitiesByName["Book"]?.attributesByName.keys.sorted() == ["pages", "title"])
        let old = try #require(NSManagedObjectModel(contentsOf: url.appendingPathComponent("A.mom")))
        #expect(old.entitiesByName["Book"]?.attributesByName.keys.sorted() == ["title"])
        let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: url)
        #expect(checksums == ["A": old.versionChecksum, "B": model.versionChecksum])
    }

    @Test func theModelOfAStoreIsFoundAmongAllVersions() throws {
        let url = try fixture.compile("Store", versions: ["A": Self.book, "B": Self.bookWithPages], current: "B")
        _ = try fixture.compile("Other", versions: ["Other": Self.author], current: nil)
        let bundle = try #require(Bundle(path: fixture.folder.path))
        let old = try #require(NSManagedObjectModel(contentsOf: url.appendingPathComponent("A.mom")))
        func model(for hashes: [String: Data]) -> NSManagedObjectModel? {
            NSManagedObjectModel.mergedModel(
                from: [bundle], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
        }
        #expect(model(for: old.entityVersionHashesByName)?.entityVersionHashesByName == old.entityVersionHashesByName)
        let all = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(all.entitiesByName.keys.sorted() == ["Author", "Book"])
        #expect(all.entitiesByName["Book"]?.attributesByName.count == 2)
        // Merged from two models, one of them in an older version.
        var hashes = all.entityVersionHashesByName
        hashes["Book"] = old.entityVersionHashesByName["Book"]
        #expect(model(for: hashes)?.entityVersionHashesByName == hashes)
        #expect(model(for: ["Book": Data(count: 32)]) == nil)
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: [:]) == nil)
    }

    @Test func mergingNoModelsYieldsNil() throws {
        let bundle = try #require(Bundle(path: fixture.folder.path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
    }
}
