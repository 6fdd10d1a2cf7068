// swift-format-ignore-file
import CoreData
import Foundation
import SwiftData
import Testing

public struct ModelID<T: PersistentModel>: Sendable, Identifiable, Hashable, Codable {
    public let id: PersistentIdentifier
    public init(_ model: T) { id = model.persistentModelID }
    public init(id: PersistentIdentifier) { self.id = id }
    public var isTemporary: Bool { id.storeIdentifier == nil }
}

public enum Selector2<T: PersistentModel>: Sendable {
    case model(ModelID<T>), predicate(Predicate<T>), all
    case descriptor(@Sendable () -> FetchDescriptor<T>)
}

public protocol Database: Sendable {
    func withModelContext<T: Sendable>(_ closure: @Sendable @escaping (ModelContext) throws -> T) async rethrows -> T
}

extension Database {
    func insert<M: PersistentModel>(_ make: @Sendable @escaping () -> M) async throws -> ModelID<M> {
        try await withModelContext { context in
            let model = make()
            context.insert(model)
            try context.save()
            return ModelID(model)
        }
    }
    func fetch<M: PersistentModel, R: Sendable>(_ selector: Selector2<M>, _ transform: @Sendable @escaping ([M]) throws -> R) async throws -> R {
        try await withModelContext { context in
            switch selector {
            case .all: return try transform(context.fetch(FetchDescriptor<M>()))
            case .predicate(let predicate): return try transform(context.fetch(FetchDescriptor(predicate: predicate)))
            case .model(let id): return try transform([context.model(for: id.id) as? M].compactMap { $0 })
            case .descriptor(let make): return try transform(context.fetch(make()))
            }
        }
    }
    func delete<M: PersistentModel>(_ selector: Selector2<M>) async throws {
        try await withModelContext { context in
            switch selector {
            case .all: try context.delete(model: M.self)
            case .predicate(let predicate): try context.delete(model: M.self, where: predicate)
            case .model(let id): if let model: M = context.registeredModel(for: id.id) ?? context.model(for: id.id) as? M { context.delete(model) }
            case .descriptor(let make): try context.fetch(make()).forEach { context.delete($0) }
            }
            try context.save()
        }
    }
}

@ModelActor public actor ModelActorDatabase: Database {
    public func withModelContext<T: Sendable>(_ closure: @Sendable @escaping (ModelContext) throws -> T) async rethrows -> T { try closure(modelContext) }
}

public final class BackgroundDatabase: Database {
    private actor Holder {
        let create: @Sendable () -> any Database
        var task: Task<any Database, Never>?
        init(_ create: @escaping @Sendable () -> any Database) { self.create = create }
        var database: any Database {
            get async {
                if let task { return await task.value }
                let create = create
                let task = Task { create() }
                self.task = task
                return await task.value
            }
        }
    }
    private let holder: Holder
    public init(_ container: ModelContainer) { holder = Holder { ModelActorDatabase(modelContainer: container) } }
    public func withModelContext<T: Sendable>(_ closure: @Sendable @escaping (ModelContext) throws -> T) async rethrows -> T {
        try await holder.database.withModelContext(closure)
    }
}

struct PersistentIdentifierJSON: Codable {
    struct Implementation: Codable {
        var primaryKey: String
        var uriRepresentation: URL
        var isTemporary: Bool
        var storeIdentifier: String
        var entityName: String
    }
    var implementation: Implementation
}
extension NSManagedObjectID {
    func persistentIdentifier() throws -> PersistentIdentifier? {
        guard let storeIdentifier = uriRepresentation().host(), let entityName = entity.name else { return nil }
        let json = PersistentIdentifierJSON(implementation: .init(
            primaryKey: uriRepresentation().lastPathComponent, uriRepresentation: uriRepresentation(), isTemporary: isTemporaryID,
            storeIdentifier: storeIdentifier, entityName: entityName))
        return try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(json))
    }
}

enum DBModel {}
extension DBModel {
    @Model final class Country2 {
        var name: String
        var translations: [String: String]
        var population: Int
        var flag: URL?
        @Attribute(.unique) var alpha3Code: String
        init(name: String, translations: [String: String], population: Int, flag: URL?, alpha3Code: String) {
            self.name = name
            self.translations = translations
            self.population = population
            self.flag = flag
            self.alpha3Code = alpha3Code
        }
    }
}
extension DBModel {
    @Model final class CountryDetails {
        @Attribute(.unique) var alpha3Code: String
        var capital: String
        @Relationship var neighbors: [Country2]
        @Relationship(deleteRule: .cascade, inverse: \Currency.country) var currencies: [Currency]
        init(alpha3Code: String, capital: String, currencies: [Currency], neighbors: [Country2]) {
            self.alpha3Code = alpha3Code
            self.capital = capital
            self.currencies = currencies
            self.neighbors = neighbors
        }
    }
    @Model final class Currency {
        @Attribute(.unique) var code: String
        var symbol: String?
        @Relationship var country: CountryDetails?
        init(code: String, symbol: String?) { self.code = code; self.symbol = symbol }
    }
}
extension Schema {
    static var appVersion: Schema.Version { Version(1, 0, 0) }
    static var appSchema: Schema { Schema([DBModel.Country2.self, DBModel.CountryDetails.self, DBModel.Currency.self], version: appVersion) }
}
extension ModelContainer {
    static func appModelContainer(inMemoryOnly: Bool = false, isStub: Bool = false) throws -> ModelContainer {
        let schema = Schema.appSchema
        return try ModelContainer(for: schema, configurations: [ModelConfiguration(isStub ? "stub" : nil, schema: schema, isStoredInMemoryOnly: inMemoryOnly)])
    }
    static var stub: ModelContainer { try! appModelContainer(inMemoryOnly: true, isStub: true) }
    var isStub: Bool { configurations.first?.name == "stub" }
}
@ModelActor final actor MainDBRepository {}
protocol CountriesDBRepository {
    @MainActor func countryDetails(for country: DBModel.Country2) async throws -> DBModel.CountryDetails?
    func store(names: [String]) async throws
}
extension MainDBRepository: CountriesDBRepository {
    @MainActor func countryDetails(for country: DBModel.Country2) async throws -> DBModel.CountryDetails? {
        let alpha3Code = country.alpha3Code
        let fetchDescriptor = FetchDescriptor(predicate: #Predicate<DBModel.CountryDetails> { $0.alpha3Code == alpha3Code })
        return try modelContainer.mainContext.fetch(fetchDescriptor).first
    }
    func store(names: [String]) async throws {
        try modelContext.transaction {
            names.map { DBModel.Country2(name: $0, translations: ["de": $0.uppercased()], population: 1, flag: nil, alpha3Code: $0) }
                .forEach { modelContext.insert($0) }
        }
    }
}

@globalActor actor StorageActor: GlobalActor, ModelActor {
    static let shared = StorageActor()
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    private init() {
        modelContainer = .stub
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }
}
@StorageActor final class StorageService {
    func add(_ name: String) throws -> Int {
        let context = StorageActor.shared.modelContainer
        let new = ModelContext(context)
        new.insert(DBModel.Currency(code: name, symbol: nil))
        try new.save()
        return try new.fetchCount(FetchDescriptor<DBModel.Currency>())
    }
}

final class QueueExecutor: SerialModelExecutor, @unchecked Sendable {
    let modelContext: ModelContext
    private let queue = DispatchQueue(label: "custom")
    init(_ container: ModelContainer) { modelContext = ModelContext(container) }
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
actor CustomExecutorActor: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    init(_ container: ModelContainer) { modelContainer = container; modelExecutor = QueueExecutor(container) }
    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<DBModel.Country2>()) }
}

@Suite struct DatabaseTests {
    @Test func aDatabaseActorInsertsFetchesAndDeletes() async throws {
        let database: any Database = BackgroundDatabase(.stub)
        let id = try await database.insert { DBModel.Currency(code: "EUR", symbol: "€") }
        #expect(!id.isTemporary)
        #expect(try await database.fetch(.model(id)) { $0.first?.symbol } == "€")
        #expect(try await database.fetch(.predicate(#Predicate<DBModel.Currency> { $0.code == "EUR" })) { $0.count } == 1)
        #expect(try await database.fetch(.descriptor { FetchDescriptor<DBModel.Currency>(sortBy: [SortDescriptor(\.code)]) }) { $0.map(\.code) } == ["EUR"])
        try await database.delete(.model(id))
        #expect(try await database.fetch(Selector2<DBModel.Currency>.all) { $0.isEmpty })
        let coded = try JSONDecoder().decode(ModelID<DBModel.Currency>.self, from: JSONEncoder().encode(id))
        #expect(coded == id)
    }

    @Test func notificationsOfObjectIDsListSavedModels() async throws {
        let container = ModelContainer.stub
        let context = ModelContext(container)
        nonisolated(unsafe) var seen: [PersistentIdentifier] = []
        let token = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextDidSaveObjectIDs, object: nil, queue: nil) { note in
            let ids = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
            seen += ids.compactMap { try? $0.persistentIdentifier() }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let model = DBModel.Currency(code: "USD", symbol: nil)
        context.insert(model)
        try context.save()
        #expect(seen.contains(model.persistentModelID))
        let id = try #require(seen.first { $0 == model.persistentModelID })
        #expect((ModelContext(container).model(for: id) as? DBModel.Currency)?.code == "USD")
    }

    @MainActor @Test func aMainActorRepositoryStoresRelatedModels() async throws {
        let container = ModelContainer.stub
        #expect(container.isStub)
        let repository = MainDBRepository(modelContainer: container)
        try await repository.store(names: ["a", "b"])
        let countries = try container.mainContext.fetch(FetchDescriptor<DBModel.Country2>(sortBy: [SortDescriptor(\.name)]))
        #expect(countries.map(\.translations) == [["de": "A"], ["de": "B"]])
        let details = DBModel.CountryDetails(alpha3Code: "a", capital: "A", currencies: [.init(code: "X", symbol: nil)], neighbors: [countries[1]])
        container.mainContext.insert(details)
        try container.mainContext.save()
        let found = try await repository.countryDetails(for: countries[0])
        #expect(found === details)
        #expect(found?.currencies.first?.country === details)
        #expect(found?.neighbors == [countries[1]])
    }

    @Test func actorsRunOnDefaultAndCustomExecutors() async throws {
        #expect(try await StorageService().add("A") == 1)
        #expect(try await CustomExecutorActor(.stub).count() == 0)
    }

    @Test func identifiersAreOrderedAndHashable() throws {
        let context = ModelContext(.stub)
        let models = (0..<12).map { DBModel.Currency(code: "\($0)", symbol: nil) }
        models.forEach { context.insert($0) }
        try context.save()
        let ids = models.map(\.persistentModelID)
        #expect(Set(ids).count == 12)
        #expect(ids.sorted().count == 12)
        #expect(ids.first?.id == models.first?.persistentModelID.id)
        let custom = try PersistentIdentifier.identifier(for: "store", entityName: "Currency", primaryKey: UUID().uuidString)
        #expect(custom.entityName == "Currency" && custom.storeIdentifier == "store")
        let dictionary: [PersistentIdentifier: Int] = [ids[0]: 1]
        #expect(dictionary[models[0].id] == 1)
    }

    @Test func aSchemaDescribesItsEntities() throws {
        let schema = Schema.appSchema
        #expect(schema.entities.map(\.name).sorted() == ["Country2", "CountryDetails", "Currency"])
        let details = try #require(schema.entity(for: DBModel.CountryDetails.self))
        #expect(details.relationships.map(\.name).sorted() == ["currencies", "neighbors"])
        #expect(details.relationshipsByName["currencies"]?.destination == "Currency")
        #expect(details.attributes.map(\.name) == ["alpha3Code"] || details.attributes.count == 2)
        let capital = try #require(details.attributesByName["capital"])
        #expect(capital.valueType == String.self && !capital.isOptional && !capital.isUnique && capital.isAttribute && !capital.isRelationship)
        #expect(details.storedProperties.map(\.name) == ["alpha3Code", "capital", "neighbors", "currencies"])
        let data = try JSONEncoder().encode(schema)
        #expect(try JSONDecoder().decode(Schema.self, from: data) == schema)
        #expect(schema.version == .init(1, 0, 0))
        #expect(schema.encodingVersion == Schema.schemaEncodingVersion)
    }

    @Test func errorsAreMatchedAndDescribed() {
        let error: any Error = SwiftDataError.unsupportedPredicate
        #expect(error as? SwiftDataError == .unsupportedPredicate)
        #expect(SwiftDataError.unsupportedPredicate != SwiftDataError.unsupportedKeyPath)
        #expect(!error.localizedDescription.isEmpty)
        switch error {
        case SwiftDataError.unsupportedPredicate: break
        default: Issue.record("wrong")
        }
    }
}
