// swift-format-ignore-file
import Foundation
import SwiftData

public protocol Database: Sendable {
    func count<T: PersistentModel>(_ type: T.Type) async throws -> Int
}

@ModelActor
public actor KitchenStore: Database {
    private var cache: [String: PersistentIdentifier] = [:]
    public static let name = "Kitchen"

    public func count<T>(_ type: T.Type) throws -> Int where T: PersistentModel {
        try modelContext.fetchCount(FetchDescriptor<T>())
    }

    @discardableResult
    public func addRecipe(_ title: String, configure: @Sendable (Recipe) -> Void = { _ in }) throws -> PersistentIdentifier {
        let recipe = Recipe(title: title)
        configure(recipe)
        modelContext.insert(recipe)
        try modelContext.save()
        cache[title] = recipe.persistentModelID
        return recipe.persistentModelID
    }

    public func title(of id: PersistentIdentifier) -> String? { self[id, as: Recipe.self]?.title }

    public func fetch<T: PersistentModel, Value: Sendable>(
        _ descriptor: FetchDescriptor<T>, map: @Sendable (T) throws -> Value
    ) throws -> [Value] { try modelContext.fetch(descriptor).map(map) }

    public func update(_ id: PersistentIdentifier, _ body: @Sendable (Recipe) -> Void) throws {
        guard let recipe = modelContext.model(for: id) as? Recipe else { return }
        body(recipe)
        if modelContext.hasChanges { try modelContext.save() }
    }

    nonisolated public func makeContext() -> ModelContext { ModelContext(modelContainer) }
}

extension KitchenStore {
    public init(container: ModelContainer, author: String) {
        self.init(modelContainer: container)
    }

    public static func inMemory() throws -> KitchenStore { KitchenStore(modelContainer: try Kitchen.container(inMemory: true)) }
}

public actor LineStore: ModelActor {
    public nonisolated let modelContainer: ModelContainer
    public nonisolated let modelExecutor: any ModelExecutor

    public init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        let context = ModelContext(modelContainer)
        context.autosaveEnabled = false
        self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    public func removeAll<T: PersistentModel>(_ type: T.Type) throws {
        try modelContext.delete(model: type)
        try modelContext.save()
    }
}

public enum Kitchen {
    public static let schema: Schema = {
        var types: [any PersistentModel.Type] = [Recipe.self, Cook.self]
        if #available(iOS 26, macOS 26, *) { types += [Chef.self, Restaurant.self] }
        return Schema(types, version: .init(1, 0, 0))
    }()

    public static func container(inMemory: Bool = false, url: URL? = nil) throws -> ModelContainer {
        let configuration: ModelConfiguration
        if let url {
            configuration = ModelConfiguration("kitchen", schema: schema, url: url, allowsSave: true, cloudKitDatabase: .none)
        } else {
            configuration = ModelConfiguration("kitchen", schema: schema, isStoredInMemoryOnly: inMemory, groupContainer: .none, cloudKitDatabase: .automatic)
        }
        return try ModelContainer(for: schema, configurations: [configuration])
    }
}

/// A repository over any model, with the queries that applications share.
public final class Repository<Model: RemoteModel> {
    private let context: ModelContext
    public init(context: ModelContext) { self.context = context }

    public func find(remoteID: String) throws -> Model? {
        let predicate = #Predicate<Model> { $0.remoteID == remoteID }
        var descriptor = FetchDescriptor(predicate: predicate)
        descriptor.fetchLimit = 1
        return try context.fetch(descriptor).first
    }

    public func all() throws -> [Model] { try context.fetch(FetchDescriptor<Model>(sortBy: Model.defaultOrder)) }

    public func upsert(remoteID: String, create: () -> Model, update: (Model) -> Void) throws -> Model {
        if let existing = try find(remoteID: remoteID) {
            update(existing)
            return existing
        }
        let new = create()
        context.insert(new)
        return new
    }

    public func exists(_ predicate: Predicate<Model>? = nil) -> Bool {
        ((try? context.fetchCount(FetchDescriptor(predicate: predicate))) ?? 0) > 0
    }
}

extension ModelContext {
    public func existing<T: PersistentModel>(_ type: T.Type = T.self, for id: PersistentIdentifier) throws -> T? {
        if let registered: T = registeredModel(for: id) { return registered }
        let descriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id })
        return try fetch(descriptor).first
    }

    public func saveIfNeeded() throws {
        guard hasChanges else { return }
        try save()
    }
}
