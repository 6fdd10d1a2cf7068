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

    @Test func lightweightWithoutPlan() throws {
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
}
