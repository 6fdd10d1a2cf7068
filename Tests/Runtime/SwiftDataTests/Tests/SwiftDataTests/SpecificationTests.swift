import CoreData
import Testing

@testable import SwiftData

/// Parts of the API that no other suite uses.
@Suite struct SpecificationTests {
    @Test func propertiesMayHaveTheMacroOfTheAccessors() throws {
        let context = ModelContext(try makeContainer(Annotated.self))
        let model = Annotated(name: "a", rank: 1)
        context.insert(model)
        model.name = "b"
        try context.save()
        let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Annotated>()).first)
        #expect(stored.name == "b" && stored.rank == 1)
    }

    @Test func transformableValuesAreSetByKeyPath() throws {
        let context = ModelContext(try makeContainer(Annotated.self))
        let model = Annotated(name: "a", rank: 1)
        context.insert(model)
        model.setTransformableValue(forKey: \.list, to: ["x", "y"] as NSArray)
        try context.save()
        let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Annotated>()).first)
        let list: NSArray? = stored.getTransformableValue(forKey: \.list)
        #expect(list == ["x", "y"])
    }

    @Test func configurationsHaveClassesAndGroups() throws {
        let configuration = ModelConfiguration(for: Annotated.self, isStoredInMemoryOnly: true)
        #expect(configuration.schema?.entities.map(\.name) == ["Annotated"] && configuration.isStoredInMemoryOnly)
        let group = ModelConfiguration("Shared", groupContainer: .identifier("group.shelf"))
        #expect(group.url.path.hasSuffix("/group.shelf/Library/Application Support/Shared.store"))
        #expect(group.groupAppContainerIdentifier == "group.shelf")
    }

    @Test func invalidConfigurationNamesAreRejected() {
        let folder = FileManager.default.temporaryDirectory
        func open(_ name: String) throws {
            let configuration = ModelConfiguration(name, url: folder.appendingPathComponent("\(UUID()).store"))
            _ = try ModelContainer(for: Annotated.self, configurations: configuration)
        }
        #expect(throws: SwiftDataError.configurationFileNameTooLong) {
            try open(String(repeating: "x", count: 300))
        }
        #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) { try open("a/b") }
    }

    @Test func indexesAndConstraintsAreInTheSchema() throws {
        let entity = try #require(Schema([Place.self]).entitiesByName["Place"])
        #expect(entity.indices == [["name"], ["latitude", "longitude"]])
        #expect(entity.uniquenessConstraints == [["name", "latitude"]])
        let names = Place.schemaMetadata.map(\.name)
        #expect(names.prefix(2) == ["SwiftData.Schema.Index", "SwiftData.Schema.Unique"])
    }

    @Test func subclassesInheritProperties() throws {
        let schema = Schema([Vehicle.self, Car.self])
        let (vehicle, car) = try (#require(schema.entity(for: Vehicle.self)), #require(schema.entity(for: Car.self)))
        #expect(car.superentity == vehicle && car.superentityName == "Vehicle" && vehicle.superentity == nil)
        #expect(vehicle.subentities == [car])
        #expect(car.inheritedProperties.map(\.name) == ["wheels"] && car.storedProperties.map(\.name) == ["doors"])
        #expect(car.inheritedPropertiesByName["wheels"] != nil && car.properties.count == 2)
    }

    @Test func valuesWithoutKeysAreRejected() {
        do {
            _ = try makeContainer(Unkeyed.self)
            Issue.record("the container was created")
        } catch {
            #expect("\(error)".contains("choices” cannot be stored: Composite Coder only supports Keyed Container"))
        }
    }

    @Test func relationshipsMayHaveNoInverse() throws {
        let context = ModelContext(try makeContainer(OneWay.self))
        let (first, second) = (OneWay(), OneWay())
        context.insert(first)
        first.next = second
        #expect(second.previous == nil)
        try context.save()
        context.delete(second)
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<OneWay>()) == 1)
    }

    @Test(arguments: [true, false]) func deletedModelsLeaveRelationshipsWithoutInverse(ownerChanges: Bool) throws {
        let context = ModelContext(try makeContainer(Album.self))
        let album = Album()
        context.insert(album)
        let (first, second) = (Picture(), Picture())
        album.pictures = [first, second]
        album.cover = first
        try context.save()
        context.delete(first)
        if ownerChanges { album.title = "changed" }
        try context.save()
        #expect(album.pictures == [second] && album.cover == nil)
        let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Album>()).first)
        #expect(stored.pictures.count == 1 && stored.cover == nil)
        #expect(stored.title == album.title)
    }

    @Test func deletedModelsLeaveNewOwners() throws {
        let context = ModelContext(try makeContainer(Album.self))
        let (album, picture) = (Album(), Picture())
        context.insert(album)
        album.pictures = [picture]
        album.cover = picture
        context.delete(picture)
        try context.save()
        #expect(album.pictures.isEmpty && album.cover == nil)
    }

    @Test func versionsWithEqualHashesAreRejected() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
        defer { try? FileManager.default.removeItem(at: url) }
        do {
            _ = try ModelContainer(
                for: Annotated.self, migrationPlan: EqualVersions.self, configurations: ModelConfiguration(url: url))
            Issue.record("the container was created")
        } catch {
            #expect("\(error)".contains("Duplicate version checksums across stages detected"))
        }
    }

    @Test func filesHaveTheVersionInTheirMetadata() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
        let schema = Schema([Annotated.self], version: Schema.Version(2, 1, 0))
        let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
        context.insert(Annotated(name: "a", rank: 1))
        try context.save()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        #expect(metadata["NSStoreModelVersionIdentifiers"] as? [String] == ["2.1.0"])
        #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
        let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data]
        #expect(hashes?.keys.sorted() == ["Annotated"])
    }
}

@Model final class Annotated {
    @_PersistedProperty var name: String
    var rank: Int
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var list: NSArray?

    init(name: String, rank: Int) {
        self.name = name
        self.rank = rank
    }
}

@Model final class Place {
    #Unique<Place>([\.name, \.latitude])
    #Index<Place>(.binary([\.name]), .rtree([\.latitude, \.longitude]))
    var name = ""
    var latitude = 0.0
    var longitude = 0.0
    init() {}
}

@Model class Vehicle {
    var wheels = 4
    init() {}
}

@Model final class Car: Vehicle {
    var doors = 5
    override init() { super.init() }
}

struct Choices: OptionSet, Codable {
    let rawValue: Int
}

@Model final class Unkeyed {
    var choices = Choices()
    init() {}
}

@Model final class OneWay {
    @Relationship(inverse: nil) var next: OneWay?
    var previous: OneWay?
    init() {}
}

@Model final class Album {
    var title = ""
    var pictures: [Picture] = []
    var cover: Picture?
    init() {}
}

@Model final class Picture {
    var caption = ""
    init() {}
}

enum EqualVersions: SchemaMigrationPlan {
    enum One: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        static var models: [any PersistentModel.Type] { [Annotated.self] }
    }

    enum Two: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        static var models: [any PersistentModel.Type] { [Annotated.self] }
    }

    static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: One.self, toVersion: Two.self)] }
}
