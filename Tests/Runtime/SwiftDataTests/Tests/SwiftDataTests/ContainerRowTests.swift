import CoreData
import SwiftData
import Testing

/// The rows about containers: default files, classes in schemas, plans with gaps.
@Suite struct ContainerRowTests {
    @Test func defaultFilesAreInTheDataFolder() async throws {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            setenv("XDG_DATA_HOME", folder.path, 1)
            defer { try? FileManager.default.removeItem(at: folder) }
            for (configuration, name) in [
                (ModelConfiguration(), "default.store"), (ModelConfiguration("Shelf"), "Shelf.store"),
                (ModelConfiguration(groupContainer: .identifier("g")), "g/Library/Application Support/default.store"),
            ] {
                let context = ModelContext(try ModelContainer(for: Tag.self, configurations: configuration))
                context.insert(Tag(name: "a"))
                try context.save()
                try #require(FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path))
            }
            // Without a configuration, too.
            let context = ModelContext(try ModelContainer(for: Tag.self))
            try #require(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
        }
    }

    @Test @MainActor func theMainContextIsOneInstance() throws {
        // Its container is released.
        let context = try makeContainer(Tag.self).mainContext
        #expect(context.container.mainContext === context)
        context.insert(Tag(name: "a"))
        let container = context.container
        #expect(container.mainContext === context && container.mainContext.hasChanges)
        try container.mainContext.save()
        #expect(!context.hasChanges)
        // That of a model whose context was released.
        let tag = Tag(name: "b")
        do { try makeContainer(Tag.self).mainContext.insert(tag) }
        let adopting = try #require(tag.modelContext)
        #expect(adopting !== context && adopting.container.mainContext === adopting)
    }

    @Test func structuresWithModelsAreRejectedWithAdvice() {
        do {
            _ = try makeContainer(Reference.self)
            Issue.record("the container was created")
        } catch {
            #expect("\(error)".contains("store a `UUID` of your own"), "\(error)")
        }
    }

    @Test func subclassesHaveToBeListed() throws {
        let context = ModelContext(try makeContainer(Vehicle.self))
        #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Car>()) }
        let both = ModelContext(try makeContainer(Car.self))
        both.insert(Car())
        #expect(try both.fetchCount(FetchDescriptor<Vehicle>()) == 1)
    }

    @Test func aPlanWithoutTheNextStageIsAnError() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
        do {
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: NotesV1.self), configurations: ModelConfiguration(url: url)))
            context.insert(NotesV1.Note(title: "a", rating: 1))
            try context.save()
        }
        do {
            _ = try ModelContainer(
                for: Schema(versionedSchema: NotesV3.self), migrationPlan: GappedPlan.self,
                configurations: ModelConfiguration(url: url))
            Issue.record("the container was created")
        } catch let error as SwiftDataError {
            #expect(error == .loadIssueModelContainer && "\(error)".contains("Incompatible metadata after migration"))
        }
        let context = ModelContext(
            try ModelContainer(for: Schema(versionedSchema: NotesV1.self), configurations: ModelConfiguration(url: url))
        )
        #expect(try context.fetch(FetchDescriptor<NotesV1.Note>()).map(\.title) == ["a"])
    }
}

private enum GappedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: NotesV2.self, toVersion: NotesV3.self)]
    }
}

@Model final class Reference {
    struct Target: Codable {
        var tag: Tag?

        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    var target: Target?

    init() {}
}
