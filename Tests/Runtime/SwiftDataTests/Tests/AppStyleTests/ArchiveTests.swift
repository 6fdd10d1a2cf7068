// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

// An app that keeps its notes in one archive: a custom store that evaluates queries itself and has a history.

struct ArchiveConfiguration: DataStoreConfiguration, Sendable {
    typealias Store = ArchiveStore
    var name: String
    var schema: Schema?
    var url: URL
    var isReadOnly = false

    func validate() throws {
        guard url.isFileURL else { throw DataStoreError.unsupportedFeature }
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.url == rhs.url }
    func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

struct ArchiveToken: HistoryToken {
    typealias TokenType = Int
    var tokenValue: Int?
    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.tokenValue ?? 0) < (rhs.tokenValue ?? 0) }
}

struct ArchiveTransaction: HistoryTransaction {
    var author: String?
    var bundleIdentifier: String { "bundle" }
    var processIdentifier: String { "process" }
    var storeIdentifier: String
    var timestamp: Date
    var token: ArchiveToken
    var transactionIdentifier: Int
    var changes: [HistoryChange] { [] }
    var id: Int { transactionIdentifier }
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

final class ArchiveStore: DataStore, HistoryProviding {
    typealias Configuration = ArchiveConfiguration
    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = ArchiveTransaction

    let configuration: ArchiveConfiguration
    let identifier: String
    let schema: Schema
    private var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
    private var transactions: [ArchiveTransaction] = []
    private var lastKey = 0

    private struct Archive: Codable {
        var lastKey: Int
        var rows: [DefaultSnapshot]
    }

    required init(_ configuration: ArchiveConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema!
        identifier = configuration.url.deletingPathExtension().lastPathComponent
        guard let data = try? Data(contentsOf: configuration.url) else { return }
        let archive = try PropertyListDecoder().decode(Archive.self, from: data)
        lastKey = archive.lastKey
        rows = Dictionary(uniqueKeysWithValues: archive.rows.map { ($0.persistentIdentifier, $0) })
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        guard request.descriptor.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
        guard request.descriptor.sortBy.isEmpty else { throw DataStoreError.preferInMemorySort }
        let name = Schema.entityName(for: T.self)
        var found = rows.values.filter { $0.persistentIdentifier.entityName == name }.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        if let offset = request.descriptor.fetchOffset { found = Array(found.dropFirst(offset)) }
        if let limit = request.descriptor.fetchLimit, limit > 0 { found = Array(found.prefix(limit)) }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
    }

    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard !configuration.isReadOnly else { throw CocoaError(.fileWriteNoPermission) }
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            lastKey += 1
            remapped[snapshot.persistentIdentifier] = try .identifier(for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: lastKey)
        }
        for snapshot in request.inserted + request.updated {
            let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            rows[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
        }
        for snapshot in request.deleted { rows.removeValue(forKey: snapshot.persistentIdentifier) }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(Archive(lastKey: lastKey, rows: Array(rows.values))).write(to: configuration.url, options: [.atomic])
        transactions.append(ArchiveTransaction(
            author: request.editingState.author, storeIdentifier: identifier, timestamp: .now,
            token: ArchiveToken(tokenValue: transactions.count + 1), transactionIdentifier: transactions.count + 1))
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
    }

    func erase() throws {
        rows = [:]
        try? FileManager.default.removeItem(at: configuration.url)
    }

    func fetchHistory(_ descriptor: HistoryDescriptor<ArchiveTransaction>) throws -> [ArchiveTransaction] {
        try transactions.filter { try descriptor.predicate?.evaluate($0) ?? true }
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<ArchiveTransaction>) throws {
        try transactions.removeAll { try descriptor.predicate?.evaluate($0) ?? true }
    }
}

@Model final class Notebook {
    @Attribute(.unique) var title: String
    var created: Date
    @Relationship(deleteRule: .cascade, inverse: \Note.notebook) var notes: [Note] = []
    init(title: String, created: Date = .now) { self.title = title; self.created = created }
}

@Model final class Note {
    var text: String
    var position: Int
    var style: Style = Style.plain
    var location: Location?
    var image: Data?
    var price: Decimal = 1.25
    var link: URL?
    var uuid = UUID()
    var notebook: Notebook?

    enum Style: String, Codable { case plain, bold }
    struct Location: Codable, Equatable { var latitude: Double; var name: String? }
    init(text: String, position: Int = 0) { self.text = text; self.position = position }
}

@Suite struct ArchiveTests {
    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("notes.archive"))
    }

    private func open(_ url: URL, isReadOnly: Bool = false) throws -> ModelContext {
        ModelContext(try ModelContainer(
            for: Notebook.self, Note.self,
            configurations: [ArchiveConfiguration(name: "archive", url: url, isReadOnly: isReadOnly)]))
    }

    @Test func notesAreReopened() throws {
        try withFile { url in
            let created = Date(timeIntervalSinceReferenceDate: 1234.5)
            let context = try open(url)
            let book = Notebook(title: "b", created: created)
            context.insert(book)
            for index in 0..<10 { book.notes.append(Note(text: "note \(index)", position: index)) }
            book.notes[3].style = .bold
            book.notes[3].location = .init(latitude: 1.5, name: "x")
            book.notes[3].image = Data([1, 2, 3])
            book.notes[3].link = URL(string: "https://example.org/a")
            let uuid = book.notes[3].uuid
            try context.save()
            let again = try open(url)
            let notes = try again.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.position, order: .reverse)]))
            #expect(notes.map(\.position) == Array((0..<10).reversed()))
            let note = notes[6]
            #expect(note.style == .bold && note.location == .init(latitude: 1.5, name: "x") && note.image == Data([1, 2, 3]))
            #expect(note.link?.absoluteString == "https://example.org/a" && note.uuid == uuid && note.price == 1.25)
            #expect(note.notebook?.created == created && note.notebook?.notes.count == 10)
            let bold = Note.Style.bold
            #expect(try again.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.style == bold && $0.notebook?.title == "b" })) == [note])
            var limited = FetchDescriptor<Note>()
            limited.fetchLimit = 3
            limited.fetchOffset = 8
            #expect(try again.fetch(limited).count == 2)
            limited.sortBy = [SortDescriptor(\.position)]
            #expect(try again.fetch(limited).map(\.position) == [8, 9])
            again.delete(try #require(note.notebook))
            try again.save()
            #expect(try open(url).fetchCount(FetchDescriptor<Note>()) == 0)
        }
    }

    @Test func batchesAndIdentifiers() throws {
        try withFile { url in
            let context = try open(url)
            for index in 0..<25 { context.insert(Note(text: "\(index)", position: index)) }
            try context.save()
            var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.position)])
            descriptor.includePendingChanges = false
            let batches = try context.fetch(descriptor, batchSize: 10)
            #expect(batches.map(\.position) == Array(0..<25))
            let ids = try context.fetchIdentifiers(descriptor)
            #expect(ids.count == 25 && Set(ids.map(\.storeIdentifier)) == ["notes"])
            #expect((context.model(for: ids[24]) as? Note)?.text == "24")
            try context.delete(model: Note.self, where: #Predicate { $0.position >= 20 })
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Note>()) == 20)
        }
    }

    @Test func uniqueTitlesAreMerged() throws {
        try withFile { url in
            let context = try open(url)
            let first = Notebook(title: "same")
            context.insert(first)
            try context.save()
            first.notes = [Note(text: "n")]
            try context.save()
            #expect(try open(url).fetch(FetchDescriptor<Notebook>()).first?.notes.map(\.text) == ["n"])
        }
    }

    @Test func historyOfTheStore() throws {
        try withFile { url in
            let context = try open(url)
            context.author = "me"
            context.insert(Note(text: "a"))
            try context.save()
            context.author = "you"
            context.insert(Note(text: "b"))
            try context.save()
            let mine = HistoryDescriptor<ArchiveTransaction>(predicate: #Predicate { $0.author == "me" })
            #expect(try context.fetchHistory(mine).map(\.transactionIdentifier) == [1])
            try context.deleteHistory(mine)
            #expect(try context.fetchHistory(HistoryDescriptor<ArchiveTransaction>()).map(\.author) == ["you"])
        }
    }

    @Test func readOnlyArchives() throws {
        try withFile { url in
            let context = try open(url, isReadOnly: true)
            let note = Note(text: "a")
            context.insert(note)
            #expect(throws: CocoaError.self) { try context.save() }
            #expect(context.hasChanges && note.persistentModelID.storeIdentifier == nil)
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }
}
