// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

// A sync engine with history, DTOs, and several contexts.
struct ArticleDTO: Codable, Sendable, Identifiable, Equatable {
    var id: String
    var headline: String
    var tags: [String]
    var updated: Date
    var persistentID: PersistentIdentifier?
}

protocol DTOConvertible: PersistentModel {
    associatedtype DTO: Sendable
    init(dto: DTO)
    var dto: DTO { get }
    func update(from dto: DTO)
    static func predicate(for dto: DTO) -> Predicate<Self>
}

@Model final class Article: DTOConvertible {
    #Unique<Article>([\.remoteID])
    #Index<Article>([\.updated], [\.headline, \.updated])
    @Attribute(.preserveValueOnDeletion) private(set) var remoteID: String
    var headline: String
    var updated: Date
    var isDirty = false
    @Relationship(deleteRule: .nullify, inverse: \Keyword.articles) var keywords: [Keyword] = []
    init(remoteID: String, headline: String, updated: Date = .now) { self.remoteID = remoteID; self.headline = headline; self.updated = updated }
    convenience init(dto: ArticleDTO) { self.init(remoteID: dto.id, headline: dto.headline, updated: dto.updated) }
    var dto: ArticleDTO { .init(id: remoteID, headline: headline, tags: keywords.map(\.text).sorted(), updated: updated, persistentID: persistentModelID) }
    func update(from dto: ArticleDTO) { headline = dto.headline; updated = dto.updated }
    static func predicate(for dto: ArticleDTO) -> Predicate<Article> {
        let id = dto.id
        return #Predicate { $0.remoteID == id }
    }
}
@Model final class Keyword {
    @Attribute(.unique) var text: String
    var articles: [Article] = []
    init(_ text: String) { self.text = text }
}
@Model final class SyncState {
    var name: String
    var tokenData: Data?
    @Attribute(.externalStorage) var log: Data?
    init(name: String) { self.name = name }
    var token: DefaultHistoryToken? {
        get { tokenData.flatMap { try? JSONDecoder().decode(DefaultHistoryToken.self, from: $0) } }
        set { tokenData = try? JSONEncoder().encode(newValue) }
    }
}

actor BackgroundStore<M: DTOConvertible>: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    init(_ container: ModelContainer) {
        modelContainer = container
        let context = ModelContext(container)
        context.autosaveEnabled = false
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }
    @discardableResult func upsert(_ dtos: [M.DTO]) throws -> [PersistentIdentifier] {
        var models: [M] = []
        for dto in dtos {
            var descriptor = FetchDescriptor<M>(predicate: M.predicate(for: dto))
            descriptor.fetchLimit = 1
            if let existing = try modelContext.fetch(descriptor).first {
                existing.update(from: dto)
                models.append(existing)
            } else {
                let new = M(dto: dto)
                modelContext.insert(new)
                models.append(new)
            }
        }
        if modelContext.hasChanges { try modelContext.save() }
        return models.map { $0.persistentModelID }
    }
    func all() throws -> [M.DTO] { try modelContext.fetch(FetchDescriptor<M>()).map { $0.dto } }
    func delete(_ ids: [PersistentIdentifier]) throws {
        for id in ids { if let model = self[id, as: M.self] { modelContext.delete(model) } }
        try modelContext.save()
    }
    func withModel<R: Sendable>(_ id: PersistentIdentifier, _ body: @Sendable (M) throws -> R) throws -> R? {
        guard let model = self[id, as: M.self] else { return nil }
        return try body(model)
    }
}

@ModelActor actor HistoryReader {
    enum Change: Equatable, Sendable { case inserted(PersistentIdentifier), updated(PersistentIdentifier, [String]), deleted(String?) }
    func changes(after token: DefaultHistoryToken?, author: String? = nil) throws -> ([Change], DefaultHistoryToken?) {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token {
            if let author {
                descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
            } else {
                descriptor.predicate = #Predicate { $0.token > token }
            }
        }
        let transactions = try modelContext.fetchHistory(descriptor)
        var result: [Change] = []
        for change in transactions.flatMap(\.changes) {
            let id = change.changedPersistentIdentifier
            guard id.entityName == "Article" else { continue }
            switch change {
            case .insert(_ as DefaultHistoryInsert<Article>): result.append(.inserted(id))
            case .update(let update as DefaultHistoryUpdate<Article>):
                result.append(.updated(id, [\Article.headline, \Article.updated].filter { path in update.updatedAttributes.contains { $0 == path } }.map { $0 == \Article.headline ? "headline" : "updated" }))
            case .delete(let delete as DefaultHistoryDelete<Article>): result.append(.deleted(delete.tombstone[\.remoteID] as? String))
            default: break
            }
        }
        return (result, transactions.last?.token)
    }
}

@Suite(.serialized) struct SyncTests {
    let url: URL
    let container: ModelContainer
    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)").appending(path: "Sync.store")
        container = try ModelContainer(for: Schema([Article.self, Keyword.self, SyncState.self]), configurations: [ModelConfiguration("Sync", url: url)])
    }

    @Test func historyFollowsUpsertsAndDeletions() async throws {
        let store = BackgroundStore<Article>(container)
        let reader = HistoryReader(modelContainer: container)
        let ids = try await store.upsert((0..<3).map { ArticleDTO(id: "\($0)", headline: "h\($0)", tags: [], updated: .now) })
        let (first, token) = try await reader.changes(after: nil)
        #expect(first == ids.map { .inserted($0) })
        let t = try #require(token)
        let again = try await store.upsert([ArticleDTO(id: "1", headline: "new", tags: [], updated: .now)])
        #expect(again == [ids[1]])
        try await store.delete([ids[2]])
        let (second, token2) = try await reader.changes(after: t)
        #expect(second == [.updated(ids[1], ["headline", "updated"]), .deleted("2")])
        #expect(try #require(token2) > t)
        let (third, _) = try await reader.changes(after: token2)
        #expect(third.isEmpty)
        #expect(try await store.all().count == 2)
        #expect(try await store.withModel(ids[1]) { $0.headline } == "new")
        #expect(try await store.withModel(ids[2]) { $0.headline } == nil)
    }

    @Test func tokensArePersisted() async throws {
        let context = ModelContext(container)
        context.author = "ui"
        context.insert(Article(remoteID: "a", headline: "b"))
        try context.save()
        let state = SyncState(name: "s")
        context.insert(state)
        state.token = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
        try context.save()
        let other = ModelContext(try ModelContainer(for: Article.self, Keyword.self, SyncState.self, configurations: ModelConfiguration("Sync", url: url)))
        let token = try #require(try other.fetch(FetchDescriptor<SyncState>()).first?.token)
        let later = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        #expect(later.count == 1)
        #expect(later[0].changes.count == 1)
        #expect(later[0].author == "ui")
        #expect(later[0].timestamp <= .now)
        try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(throws: SwiftDataError.historyTokenExpired) { try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })) }
    }

    @Test func keywordsAreShared() throws {
        let context = ModelContext(container)
        for i in 0..<4 {
            let article = Article(remoteID: "\(i)", headline: "\(i)")
            context.insert(article)
            article.keywords = [Keyword("common"), Keyword("k\(i)")]
            try context.save()
        }
        let keywords = try context.fetch(FetchDescriptor<Keyword>(sortBy: [SortDescriptor(\.text)]))
        #expect(keywords.map(\.text) == ["common", "k0", "k1", "k2", "k3"])
        #expect(keywords[0].articles.count == 4)
    }

    @Test func equalModelsInOneSaveBecomeOne() throws {
        let context = ModelContext(container)
        context.insert(Article(remoteID: "same", headline: "first"))
        context.insert(Article(remoteID: "same", headline: "second"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Article>()) == 1)
    }

    @Test func eightTasksSaveInTheirContexts() async throws {
        let container = container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let store = BackgroundStore<Article>(container)
                    for i in 0..<10 { try await store.upsert([ArticleDTO(id: "\(worker)-\(i)", headline: "h", tags: [], updated: .now)]) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Article>()) == 80)
    }

    @MainActor @Test func mainContextSeesBackgroundChanges() async throws {
        let context = container.mainContext
        let article = Article(remoteID: "m", headline: "old")
        context.insert(article)
        try context.save()
        let store = BackgroundStore<Article>(container)
        try await store.upsert([ArticleDTO(id: "m", headline: "new", tags: [], updated: .now)])
        _ = try context.fetch(FetchDescriptor<Article>())
        #expect(article.headline == "new")
        article.headline = "local"
        try await store.upsert([ArticleDTO(id: "m", headline: "remote", tags: [], updated: .now)])
        _ = try context.fetch(FetchDescriptor<Article>())
        #expect(article.headline == "local")
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Article>()).first?.headline == "local")
    }

    @MainActor @Test func notificationsOfSavesAreASequence() async throws {
        let container = container
        let task = Task { @MainActor in
            for await note in NotificationCenter.default.notifications(named: ModelContext.didSave) {
                guard (note.object as? ModelContext)?.container == container else { continue }
                return (note.userInfo?["insertedIdentifiers"] as? [PersistentIdentifier])?.count
            }
            return nil
        }
        try await Task.sleep(for: .milliseconds(50))
        container.mainContext.insert(Article(remoteID: "n", headline: "n"))
        try container.mainContext.save()
        #expect(await task.value == 1)
    }

    @MainActor @Test func theMainContextSavesByItself() async throws {
        container.mainContext.insert(Article(remoteID: "auto", headline: "auto"))
        for _ in 0..<1200 where container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
        #expect(!container.mainContext.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Article>()) == 1)
    }

    @Test func modelsAreStoredInTheirConfigurations() throws {
        let folder = url.deletingLastPathComponent()
        let articles = ModelConfiguration("Articles", schema: Schema([Article.self, Keyword.self]), url: folder.appending(path: "a.store"))
        let states = ModelConfiguration("States", schema: Schema([SyncState.self]), isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Article.self, Keyword.self, SyncState.self, configurations: articles, states)
        let context = ModelContext(container)
        context.insert(Article(remoteID: "1", headline: "x")); context.insert(SyncState(name: "s"))
        try context.save()
        let second = ModelContext(try ModelContainer(for: Article.self, Keyword.self, SyncState.self, configurations: articles, ModelConfiguration("States", schema: Schema([SyncState.self]), isStoredInMemoryOnly: true)))
        #expect(try second.fetchCount(FetchDescriptor<Article>()) == 1)
        #expect(try second.fetchCount(FetchDescriptor<SyncState>()) == 0)
        let stores = Set(try context.fetch(FetchDescriptor<Article>()).map { $0.persistentModelID.storeIdentifier } + context.fetch(FetchDescriptor<SyncState>()).map { $0.persistentModelID.storeIdentifier })
        #expect(stores.count == 2)
    }

    @Test func aReadOnlyContainerRejectsSaves() throws {
        let context = ModelContext(container)
        context.insert(Article(remoteID: "r", headline: "r"))
        try context.save()
        let only = ModelContext(try ModelContainer(for: Article.self, Keyword.self, SyncState.self, configurations: ModelConfiguration(url: url, allowsSave: false)))
        let article = try #require(try only.fetch(FetchDescriptor<Article>()).first)
        article.headline = "w"
        #expect(throws: (any Error).self) { try only.save() }
        only.rollback()
        #expect(article.headline == "r")
    }

    @Test func deletingAllDataLeavesAUsableContainer() throws {
        let context = ModelContext(container)
        let article = Article(remoteID: "r", headline: "r")
        context.insert(article)
        article.keywords = [Keyword("x")]
        try context.save()
        container.deleteAllData()
        #expect(try context.fetchCount(FetchDescriptor<Article>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Keyword>()) == 0)
        context.insert(Article(remoteID: "r", headline: "again"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Article>()) == 1)
    }

    @Test func contextsRegisterModelsThatTheyLoad() throws {
        let context = ModelContext(container)
        let article = Article(remoteID: "r", headline: "r")
        #expect(article.modelContext == nil)
        let before = article.persistentModelID
        context.insert(article)
        #expect(article.modelContext == context)
        try context.save()
        let id = article.persistentModelID
        #expect(id != before)
        let other = ModelContext(container)
        let none: Article? = other.registeredModel(for: id)
        #expect(none == nil)
        let model = other.model(for: id)
        #expect((model as? Article)?.headline == "r")
        let some: Article? = other.registeredModel(for: id)
        #expect(some === model as? Article)
        #expect(some == article)
        #expect(some !== article)
    }

    @Test func deletionsReachOtherContexts() throws {
        let a = ModelContext(container), b = ModelContext(container)
        let article = Article(remoteID: "r", headline: "r")
        a.insert(article)
        try a.save()
        let copy = try #require(b.model(for: article.persistentModelID) as? Article)
        b.delete(copy)
        try b.save()
        #expect(try a.fetch(FetchDescriptor<Article>()).isEmpty)
        #expect(article.modelContext == nil || article.isDeleted)
    }
}
