import SwiftData
import Testing

// The JSON store of the WWDC session “Create a custom data store with SwiftData”.

final class JSONStoreConfiguration: DataStoreConfiguration {
    typealias Store = JSONStore

    var name: String
    var schema: Schema?
    var fileURL: URL

    init(name: String, schema: Schema? = nil, fileURL: URL) {
        self.name = name
        self.schema = schema
        self.fileURL = fileURL
    }

    static func == (lhs: JSONStoreConfiguration, rhs: JSONStoreConfiguration) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class JSONStore: DataStore {
    typealias Configuration = JSONStoreConfiguration
    typealias Snapshot = DefaultSnapshot

    var configuration: JSONStoreConfiguration
    var name: String
    var schema: Schema
    var identifier: String

    init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        self.name = configuration.name
        self.schema = configuration.schema ?? Schema()
        self.identifier = configuration.fileURL.lastPathComponent
    }

    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<
        DefaultSnapshot
    > {
        var remappedIdentifiers = [PersistentIdentifier: PersistentIdentifier]()
        var serialized = try read()
        for snapshot in request.inserted {
            let permanentIdentifier = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
            remappedIdentifiers[snapshot.persistentIdentifier] = permanentIdentifier
        }
        for snapshot in request.inserted {
            guard let permanent = remappedIdentifiers[snapshot.persistentIdentifier] else { continue }
            serialized[permanent] = snapshot.copy(
                persistentIdentifier: permanent, remappedIdentifiers: remappedIdentifiers)
        }
        for snapshot in request.updated {
            serialized[snapshot.persistentIdentifier] = snapshot.copy(
                persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remappedIdentifiers)
        }
        for snapshot in request.deleted { serialized[snapshot.persistentIdentifier] = nil }
        try write(serialized)
        return DataStoreSaveChangesResult<DefaultSnapshot>(for: identifier, remappedIdentifiers: remappedIdentifiers)
    }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<
        T, DefaultSnapshot
    > {
        if request.descriptor.predicate != nil {
            throw DataStoreError.preferInMemoryFilter
        } else if request.descriptor.sortBy.count > 0 {
            throw DataStoreError.preferInMemorySort
        }
        let objects = try read()
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: objects.values.map { $0 }, relatedSnapshots: objects)
    }

    func erase() throws { try write([:]) }

    func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.fileURL.path(percentEncoded: false)) else {
            return [:]
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let list = try decoder.decode([DefaultSnapshot].self, from: try Data(contentsOf: configuration.fileURL))
        var result = [PersistentIdentifier: DefaultSnapshot]()
        list.forEach { result[$0.persistentIdentifier] = $0 }
        return result
    }

    func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(snapshots.values.map { $0 }).write(to: configuration.fileURL)
    }
}

@Suite struct DataStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func withFolder(_ body: (URL) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("books.json"))
    }

    private func open(_ url: URL) throws -> ModelContext {
        let configuration = JSONStoreConfiguration(name: "json", fileURL: url)
        return ModelContext(try ModelContainer(for: Author.self, configurations: [configuration]))
    }

    @Test func modelsAreKeptInJSON() throws {
        try withFolder { url in
            let context = try open(url)
            let author = Author(name: "Austen")
            author.birth = Date(timeIntervalSince1970: 1_000)
            context.insert(author)
            for (title, pages) in [("Emma", 474), ("Persuasion", 249), ("Sanditon", 100)] {
                let book = Book(title: title, pages: pages, author: author, genre: .poetry)
                book.tags = ["a", title]
                book.cover = Data([1, 2])
                book.mood = .sad
                context.insert(book)
            }
            let before = author.persistentModelID
            try context.save()
            #expect(author.persistentModelID != before)
            #expect(author.persistentModelID.storeIdentifier == "books.json")
            #expect(author.books.count == 3 && !context.hasChanges)

            let other = try open(url)
            let long = FetchDescriptor<Book>(
                predicate: #Predicate { $0.pages > 200 && $0.author?.name == "Austen" },
                sortBy: [SortDescriptor(\.pages)])
            let found = try other.fetch(long)
            #expect(found.map(\.title) == ["Persuasion", "Emma"])
            let emma = try #require(found.last)
            #expect(emma.author?.birth == Date(timeIntervalSince1970: 1_000))
            #expect(emma.genre == .poetry && emma.mood == .sad && emma.tags == ["a", "Emma"])
            #expect(emma.cover == Data([1, 2]) && emma.format == Format(width: 10, height: 20, unit: "cm"))
            #expect(emma.author?.books.count == 3)
            #expect(emma.author?.persistentModelID == author.persistentModelID)
            #expect((other.model(for: author.persistentModelID) as? Author)?.name == "Austen")
            emma.title = "Emma!"
            other.delete(found[0])
            try other.save()
            #expect(try other.fetchCount(FetchDescriptor<Book>()) == 2)

            let third = try open(url)
            var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
            #expect(try third.fetch(descriptor).map(\.title) == ["Emma!", "Sanditon"])
            descriptor.fetchLimit = 1
            #expect(try third.fetch(descriptor).count == 1)
            try third.delete(model: Book.self, where: #Predicate { $0.title == "Sanditon" })
            #expect(try third.fetchCount(FetchDescriptor<Book>()) == 1)
            try third.container.erase()
            #expect(try open(url).fetchCount(FetchDescriptor<Author>()) == 0)
        }
    }

    @Test func failedSavesChangeNothing() throws {
        try withFolder { url in
            let context = try open(url.appendingPathComponent("missing/books.json"))
            context.insert(Author(name: "A"))
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges)
        }
    }

    @Test func defaultStoreWorksWithSnapshots() throws {
        let configuration = ModelConfiguration(schema: Schema([Author.self]), isStoredInMemoryOnly: true)
        let source = try makeContainer(Author.self)
        let context = ModelContext(source)
        let author = Author(name: "A")
        author.books = [Book(title: "B")]
        context.insert(author)
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshots = [
            DefaultSnapshot(from: author.persistentBackingData, relatedBackingDatas: &related),
            DefaultSnapshot(from: author.books[0].persistentBackingData, relatedBackingDatas: &related),
        ]
        let store = try DefaultStore(configuration, migrationPlan: nil)
        let decoded = try JSONDecoder().decode([DefaultSnapshot].self, from: JSONEncoder().encode(snapshots))
        #expect(decoded.map(\.persistentIdentifier) == snapshots.map(\.persistentIdentifier))
        let state = context.editingState
        let saved = try store.save(DataStoreSaveChangesRequest(editingState: state, inserted: decoded))
        #expect(saved.storeIdentifier == store.identifier && saved.remappedIdentifiers.count == 2)
        func books() throws -> [DefaultSnapshot] {
            let request = DataStoreFetchRequest(descriptor: FetchDescriptor<Book>(), editingState: state)
            return try store.fetch(request).fetchedSnapshots
        }
        #expect(
            try books().map(\.persistentIdentifier) == [saved.remappedIdentifiers[snapshots[1].persistentIdentifier]])
        _ = try store.save(DataStoreSaveChangesRequest(editingState: state, deleted: books()))
        #expect(try books().isEmpty)
    }
}
