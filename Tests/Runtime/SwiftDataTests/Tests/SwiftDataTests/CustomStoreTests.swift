import Testing

@testable import SwiftData

@Model
final class Gadget {
    var name: String
    var made: Date?
    var bytes: Data?
    var price: Decimal?
    @Attribute(.transformable(by: "UppercaseTransformer")) var label: String?
    var owner: Owner?

    init(name: String, made: Date? = nil) {
        self.name = name
        self.made = made
    }
}

@Model
final class Owner {
    var name: String
    @Relationship(inverse: \Gadget.owner) var gadgets: [Gadget] = []
    init(name: String) { self.name = name }
}

final class UppercaseTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.uppercased().utf8) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The settings of a store in memory, which counts the calls of its methods.
final class CountingConfiguration<Snapshot: DataStoreSnapshot>: DataStoreConfiguration {
    typealias Store = CountingStore<Snapshot>

    let name: String
    var schema: Schema?
    var calls: [String: Int] = [:]
    var rows: [PersistentIdentifier: Snapshot] = [:]
    var cached: Set<PersistentIdentifier> = []
    var failsToErase = false

    init(name: String = "counting", schema: Schema? = nil) {
        self.name = name
        self.schema = schema
    }

    static func == (lhs: CountingConfiguration, rhs: CountingConfiguration) -> Bool { lhs === rhs }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class CountingStore<Snapshot: DataStoreSnapshot>: DataStore {
    typealias Configuration = CountingConfiguration<Snapshot>

    let configuration: CountingConfiguration<Snapshot>
    let schema: Schema
    var identifier: String { configuration.name }

    init(_ configuration: CountingConfiguration<Snapshot>, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
    }

    private func count(_ call: String) { configuration.calls[call, default: 0] += 1 }

    private func rows<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [Snapshot] {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        return configuration.rows.values.filter {
            $0.persistentIdentifier.entityName == Schema.entityName(for: T.self)
        }
    }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot> {
        count("fetch")
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try rows(request))
    }

    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        count("fetchCount")
        return try rows(request).count
    }

    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        count("fetchIdentifiers")
        return try rows(request).map(\.persistentIdentifier)
    }

    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            let old = snapshot.persistentIdentifier
            permanent[old] = try .identifier(for: identifier, entityName: old.entityName, primaryKey: UUID())
        }
        for snapshot in request.inserted + request.updated {
            let new = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            configuration.rows[new] = snapshot.copy(persistentIdentifier: new, remappedIdentifiers: permanent)
        }
        for snapshot in request.deleted { configuration.rows[snapshot.persistentIdentifier] = nil }
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }

    func erase() throws {
        if configuration.failsToErase { throw DataStoreError.unsupportedFeature }
        configuration.rows = [:]
    }

    func initializeState(for editingState: EditingState) { count("initializeState") }
    func invalidateState(for editingState: EditingState) { count("invalidateState") }

    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] {
        count("cachedSnapshots")
        return configuration.rows.filter {
            configuration.cached.contains($0.key) && persistentIdentifiers.contains($0.key)
        }
    }
}

/// A snapshot of a gadget, other than `DefaultSnapshot`.
struct GadgetSnapshot: DataStoreSnapshot {
    var persistentIdentifier: PersistentIdentifier
    var name: String
    var made: Date?
    var owner: PersistentIdentifier?

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        fatalError("not used")
    }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> GadgetSnapshot {
        var copy = self
        copy.persistentIdentifier = persistentIdentifier
        copy.owner = owner.map { remappedIdentifiers?[$0] ?? $0 }
        return copy
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        persistentIdentifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        name = try container.decode(String.self, forKey: .modeledProperty("name"))
        made = try container.decodeIfPresent(Date.self, forKey: .modeledProperty("made"))
        owner = try container.decodeIfPresent(PersistentIdentifier.self, forKey: .modeledProperty("owner"))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        try container.encode(name, forKey: .modeledProperty("name"))
        try container.encode(made, forKey: .modeledProperty("made"))
        try container.encode(owner, forKey: .modeledProperty("owner"))
    }
}

@Suite struct CustomStoreTests {
    private typealias Configuration = CountingConfiguration<DefaultSnapshot>

    private func open<S: DataStoreSnapshot>(_ configuration: CountingConfiguration<S>) throws -> ModelContainer {
        try ModelContainer(for: Schema([Gadget.self]), configurations: [configuration])
    }

    private func bridge(_ container: ModelContainer) throws -> BridgeStore {
        try #require(container.core.bridges.first)
    }

    @Test func countsAndIdentifiersAreLeftToTheStore() throws {
        let configuration = Configuration()
        let context = ModelContext(try open(configuration))
        for name in ["b", "a"] { context.insert(Gadget(name: name)) }
        try context.save()
        configuration.calls = [:]
        #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 2)
        #expect(configuration.calls == ["fetchCount": 1])
        let identifiers = try context.fetchIdentifiers(FetchDescriptor<Gadget>())
        #expect(Set(identifiers) == Set(configuration.rows.keys))
        #expect(configuration.calls == ["fetchCount": 1, "fetchIdentifiers": 1])
        // The store filters neither, so the context does.
        let filtered = FetchDescriptor<Gadget>(predicate: #Predicate { $0.name == "a" })
        #expect(try context.fetchCount(filtered) == 1)
        #expect(try context.fetchIdentifiers(filtered).count == 1)
        let sorted = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.name)])
        let first = try #require(try context.fetchIdentifiers(sorted).first)
        #expect((context.model(for: first) as? Gadget)?.name == "a")
    }

    /// A store has no request for some of its models, so that a small batch would cost as much as all of them.
    @Test func batchesAreReadAtOnce() throws {
        let configuration = Configuration()
        let container = try open(configuration)
        let context = ModelContext(container)
        for number in 0..<10 { context.insert(Gadget(name: "\(number)")) }
        try context.save()
        var query = FetchDescriptor<Gadget>()
        query.includePendingChanges = false
        configuration.calls = [:]
        #expect(Set(try ModelContext(container).fetch(query, batchSize: 2).map(\.name)).count == 10)
        #expect(configuration.calls["fetch", default: 0] <= 1)
        configuration.calls = [:]
        var names: Set<String> = []
        try ModelContext(container).enumerate(query, batchSize: 2) { names.insert($0.name) }
        #expect(names.count == 10)
        #expect(configuration.calls["fetch", default: 0] <= 1)
    }

    @Test func storesAreToldAboutContexts() throws {
        let configuration = Configuration()
        let container = try open(configuration)
        #expect(configuration.calls["initializeState"] == nil)
        var context: ModelContext? = ModelContext(container)
        #expect(try context?.fetchCount(FetchDescriptor<Gadget>()) == 0)
        #expect(configuration.calls["initializeState"] == 1 && configuration.calls["invalidateState"] == nil)
        context = nil
        #expect(configuration.calls["invalidateState"] == 1)
    }

    @Test func cachedValuesAreNotFetched() throws {
        let configuration = Configuration()
        let container = try open(configuration)
        let identifier = try {
            let context = ModelContext(container)
            let gadget = Gadget(name: "a")
            context.insert(gadget)
            try context.save()
            return gadget.persistentModelID
        }()
        configuration.cached = [identifier]
        configuration.calls = [:]
        let gadget = try #require(ModelContext(container).model(for: identifier) as? Gadget)
        #expect(gadget.name == "a")
        #expect(configuration.calls["cachedSnapshots"] == 1 && configuration.calls["fetch"] == nil)
    }

    @Test func valuesAreKeptOnlyForModelsInUse() throws {
        let configuration = Configuration()
        let container = try open(configuration)
        let store = try bridge(container)
        for round in 0..<3 {
            let context = ModelContext(container)
            let owner = Owner(name: "o")
            owner.gadgets = (0..<50).map { Gadget(name: "\(round) \($0)") }
            context.insert(owner)
            try context.save()
            #expect(try context.fetch(FetchDescriptor<Gadget>()).count == (round + 1) * 50)
        }
        #expect(store.keptCount == 0)
        let context = ModelContext(container)
        let gadgets = try context.fetch(FetchDescriptor<Gadget>())
        #expect(store.keptCount == 150)
        try container.erase()
        #expect(store.keptCount == 0)
        #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 0)
        #expect(gadgets.allSatisfy { $0.isDeleted })
    }

    @Test func identifiersStayTheSame() throws {
        let configuration = Configuration()
        let container = try open(configuration)
        let context = ModelContext(container)
        let (gadget, owner) = (Gadget(name: "a"), Owner(name: "o"))
        gadget.owner = owner
        context.insert(gadget)
        try context.save()
        let identifiers = [gadget.persistentModelID, owner.persistentModelID]
        #expect(Set(identifiers) == Set(configuration.rows.keys))
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Gadget>()).first)
        #expect(same.persistentModelID == identifiers[0] && same.owner?.persistentModelID == identifiers[1])
        same.name = "b"
        try other.save()
        #expect(try context.fetch(FetchDescriptor<Gadget>()).map(\.name) == ["b"] && gadget.name == "b")
        context.delete(gadget)
        try context.save()
        #expect(gadget.persistentModelID == identifiers[0])
        #expect(owner.gadgets.isEmpty && configuration.rows.count == 1)
    }

    @Test func failedErasureReachesContexts() throws {
        let schema = Schema([Gadget.self, Item.self])
        let first = Configuration(name: "first", schema: Schema([Gadget.self]))
        let second = Configuration(name: "second", schema: Schema([Item.self]))
        second.failsToErase = true
        let container = try ModelContainer(for: schema, configurations: [first, second])
        let context = ModelContext(container)
        let (gadget, item) = (Gadget(name: "a"), Item(timestamp: .now))
        context.insert(gadget)
        context.insert(item)
        try context.save()
        #expect(throws: DataStoreError.unsupportedFeature) { try container.erase() }
        #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 0)
        #expect(gadget.isDeleted)
        #expect(try context.fetch(FetchDescriptor<Item>()) == [item])
        #expect(item.modelContext === context)
    }

    @Test func snapshotsOfOtherTypes() throws {
        let configuration = CountingConfiguration<GadgetSnapshot>(schema: Schema([Plain.self]))
        let container = try ModelContainer(for: Schema([Plain.self]), configurations: [configuration])
        let context = ModelContext(container)
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        context.insert(Plain(name: "a", made: date))
        try context.save()
        #expect(configuration.rows.values.map(\.made) == [date])
        let other = ModelContext(container)
        let plain = try #require(
            try other.fetch(FetchDescriptor<Plain>(predicate: #Predicate { $0.name == "a" })).first)
        #expect(plain.made == date)
        plain.name = "b"
        try other.save()
        #expect(configuration.rows.values.map(\.name) == ["b"])
    }

    @Test func transformableValuesAreKept() throws {
        ValueTransformer.setValueTransformer(UppercaseTransformer(), forName: .init("UppercaseTransformer"))
        let configuration = Configuration()
        let container = try open(configuration)
        let context = ModelContext(container)
        let gadget = Gadget(name: "a")
        gadget.label = "label"
        context.insert(gadget)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Gadget>()).first?.label == "LABEL")
    }
}
