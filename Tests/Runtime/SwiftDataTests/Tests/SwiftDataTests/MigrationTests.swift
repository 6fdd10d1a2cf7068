import SwiftData
import Testing

enum NotesV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        var rating: Int

        init(title: String, rating: Int) {
            self.title = title
            self.rating = rating
        }
    }
}

enum NotesV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        @Attribute(originalName: "title") var name: String
        var rating: Int
        var isPinned: Bool = true

        init(name: String, rating: Int) {
            self.name = name
            self.rating = rating
        }
    }
}

enum NotesV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Label.self] }

    @Model final class Note {
        var name: String
        var stars: String = ""
        var isPinned: Bool = true
        var label: Label?

        init(name: String) { self.name = name }
    }

    @Model final class Label {
        var text: String
        @Relationship(deleteRule: .cascade, inverse: \Note.label) var notes: [Note] = []

        init(text: String) { self.text = text }
    }
}

enum NotesPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
    static var stages: [MigrationStage] { [lightweight, custom] }

    nonisolated(unsafe) static var ratings: [String: Int] = [:]

    static let lightweight = MigrationStage.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)
    static let custom = MigrationStage.custom(
        fromVersion: NotesV2.self, toVersion: NotesV3.self,
        willMigrate: { context in
            for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) {
                ratings[note.name] = note.rating
                note.name += "!"
            }
            try context.save()
        },
        didMigrate: { context in
            let label = NotesV3.Label(text: "old")
            for note in try context.fetch(FetchDescriptor<NotesV3.Note>()) {
                note.stars = String(repeating: "*", count: ratings[String(note.name.dropLast())] ?? 0)
                note.label = label
            }
            try context.save()
        })
}

@Suite(.serialized) struct MigrationTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var url: URL { folder.appendingPathComponent("notes.store") }

    private func withFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func writeV1() throws {
        let container = try ModelContainer(
            for: Schema(versionedSchema: NotesV1.self), configurations: [ModelConfiguration(url: url)])
        let context = ModelContext(container)
        context.insert(NotesV1.Note(title: "a", rating: 3))
        context.insert(NotesV1.Note(title: "b", rating: 1))
        try context.save()
    }

    @Test func storesMigrateWithoutPlan() throws {
        try withFolder {
            try writeV1()
            let container = try ModelContainer(
                for: Schema(versionedSchema: NotesV2.self), configurations: [ModelConfiguration(url: url)])
            let notes = try ModelContext(container).fetch(
                FetchDescriptor<NotesV2.Note>(sortBy: [SortDescriptor(\.name)]))
            #expect(notes.map(\.name) == ["a", "b"])
            #expect(notes.map(\.rating) == [3, 1])
            #expect(notes.map(\.isPinned) == [true, true])
        }
    }

    @Test func planExecutesAllStages() throws {
        try withFolder {
            try writeV1()
            let container = try ModelContainer(
                for: Schema(versionedSchema: NotesV3.self), migrationPlan: NotesPlan.self,
                configurations: [ModelConfiguration(url: url)])
            let notes = try ModelContext(container).fetch(
                FetchDescriptor<NotesV3.Note>(sortBy: [SortDescriptor(\.name)]))
            #expect(notes.map(\.name) == ["a!", "b!"])
            #expect(notes.map(\.stars) == ["***", "*"])
            #expect(notes.map { $0.label?.text } == ["old", "old"])
        }
    }

    @Test func storeOfANewerVersionIsRejected() throws {
        try withFolder {
            try writeV1()
            _ = try ModelContainer(
                for: Schema(versionedSchema: NotesV3.self), migrationPlan: NotesPlan.self,
                configurations: [ModelConfiguration(url: url)])
            #expect(throws: SwiftDataError.backwardMigration) {
                try ModelContainer(
                    for: Schema(versionedSchema: NotesV1.self), migrationPlan: NotesPlan.self,
                    configurations: [ModelConfiguration(url: url)])
            }
        }
    }

    @Test func storeOfANewerVersionIsRejectedWithoutPlan() throws {
        try withFolder {
            let schema = Schema(versionedSchema: NotesV3.self)
            try {
                let context = ModelContext(
                    try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
                context.insert(NotesV3.Note(name: "a"))
                try context.save()
            }()
            #expect(throws: SwiftDataError.backwardMigration) {
                try ModelContainer(
                    for: Schema(versionedSchema: NotesV1.self), configurations: [ModelConfiguration(url: url)])
            }
            let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(url: url)])
            #expect(try ModelContext(container).fetch(FetchDescriptor<NotesV3.Note>()).map(\.name) == ["a"])
            // The same properties under a lower version are no other version of the store.
            let older = Schema(NotesV3.models, version: Schema.Version(1, 0, 0))
            _ = try ModelContainer(for: older, configurations: [ModelConfiguration(url: url)])
        }
    }

    @Test func unknownVersionIsAnErrorWithItsCause() throws {
        try withFolder {
            let other = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url))
            try ModelContext(other).save()
            do {
                _ = try ModelContainer(
                    for: Schema(versionedSchema: NotesV3.self), migrationPlan: NotesPlan.self,
                    configurations: [ModelConfiguration(url: url)])
                Issue.record("the store was opened")
            } catch let error as SwiftDataError {
                #expect(error == .loadIssueModelContainer)
                #expect((error.underlyingError as? NSError)?.code == 134504)
            }
        }
    }

    @Test func damagedFileIsAnError() throws {
        try withFolder {
            try Data("not a database, but long enough to be read as one".utf8).write(to: url)
            #expect(throws: SwiftDataError.loadIssueModelContainer) {
                try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url))
            }
        }
    }

    @Test func readOnlyStoreIsNotChanged() throws {
        try withFolder {
            try writeV1()
            let container = try ModelContainer(
                for: NotesV1.Note.self, configurations: ModelConfiguration(url: url, allowsSave: false))
            let context = ModelContext(container)
            #expect(try context.fetchCount(FetchDescriptor<NotesV1.Note>()) == 2)
            context.insert(NotesV1.Note(title: "c", rating: 0))
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test func aPlanMigratesTwoConfigurations() throws {
        try withFolder {
            func open(_ version: any VersionedSchema.Type, _ first: [any PersistentModel.Type]) throws -> ModelContext {
                let rest = version.models.filter { type in !first.contains { $0 == type } }
                return ModelContext(
                    try ModelContainer(
                        for: Schema(versionedSchema: version), migrationPlan: PartsPlan.self,
                        configurations: [
                            ModelConfiguration(
                                "A", schema: Schema(first), url: folder.appendingPathComponent("a.store")),
                            ModelConfiguration(
                                "B", schema: Schema(rest), url: folder.appendingPathComponent("b.store")),
                        ]))
            }
            let old = try open(PartsV1.self, [PartsV1.Wheel.self])
            old.insert(PartsV1.Wheel())
            old.insert(PartsV1.Seat())
            try old.save()
            #expect(try open(PartsV1.self, [PartsV1.Wheel.self]).fetchCount(FetchDescriptor<PartsV1.Wheel>()) == 1)
            for _ in 0..<2 {
                let new = try open(PartsV2.self, [PartsV2.Wheel.self, PartsV2.Bell.self])
                #expect(try new.fetch(FetchDescriptor<PartsV2.Wheel>()).map(\.spokes) == [32])
                #expect(try new.fetch(FetchDescriptor<PartsV2.Seat>()).map(\.color) == ["red"])
            }
        }
    }
}

enum PartsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Wheel.self, Seat.self] }

    @Model final class Wheel {
        var size: Int = 28
        init() {}
    }

    @Model final class Seat {
        var height: Int = 1
        init() {}
    }
}

enum PartsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Wheel.self, Bell.self, Seat.self] }

    @Model final class Wheel {
        var size: Int = 28
        var spokes: Int = 0
        init() {}
    }

    @Model final class Bell {
        var tone: Int = 1
        init() {}
    }

    @Model final class Seat {
        var height: Int = 1
        var color: String = "blue"
        init() {}
    }
}

enum PartsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PartsV1.self, PartsV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: PartsV1.self, toVersion: PartsV2.self, willMigrate: nil,
                didMigrate: { context in
                    for wheel in try context.fetch(FetchDescriptor<PartsV2.Wheel>()) { wheel.spokes = 32 }
                    for seat in try context.fetch(FetchDescriptor<PartsV2.Seat>()) { seat.color = "red" }
                    try context.save()
                })
        ]
    }
}
