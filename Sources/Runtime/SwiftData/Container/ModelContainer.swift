internal import CoreData
internal import Foundation
internal import RuntimeSupport

/// The stores of a schema's models.
///
/// ```swift
/// let container = try ModelContainer(for: Book.self)
/// let context = ModelContext(container)
/// ```
///
/// Threads and actors can share a container, but not a context: create one for each. Keep the container as long as its
/// models are used.
public final class ModelContainer: Equatable, @unchecked Sendable {
    /// The schema.
    public let schema: Schema
    /// The versions and stages of migration.
    public let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// The settings of the stores.
    public let configurations: Set<ModelConfiguration>
    let core: ContainerCore
    @MainActor private var main: ModelContext?

    // MARK: Creating containers

    /// Creates a container for a schema.
    ///
    /// - Throws: `SwiftDataError`, such as `.loadIssueModelContainer` if a store cannot be opened; `underlyingError` is
    ///   the cause.
    public init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration]
    ) throws {
        schema = givenSchema
        self.migrationPlan = migrationPlan
        let configurations = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
        self.configurations = Set(configurations)
        core = try ContainerCore(StoreOpening(schema: givenSchema, plan: migrationPlan, configurations: configurations))
    }

    /// Creates a container for the stores of a context whose container was released.
    init(_ core: ContainerCore) {
        schema = core.schema
        migrationPlan = core.plan
        configurations = core.configurations
        self.core = core
    }

    /// Creates a container for a schema.
    ///
    /// - Throws: `SwiftDataError`, such as `.loadIssueModelContainer` if a store cannot be opened; `underlyingError` is
    ///   the cause.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container for classes and the destinations of their relationships.
    ///
    /// - Throws: `SwiftDataError`, such as `.loadIssueModelContainer` if a store cannot be opened; `underlyingError` is
    ///   the cause.
    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        // A plan's newest version has the classes that are listed, and its number.
        let version = migrationPlan?.schemas.last?.versionIdentifier ?? Schema.Version(1, 0, 0)
        let schema = Schema(forTypes, version: version)
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container with stores of any form.
    ///
    /// - Throws: An error of a store's initializer, or `SwiftDataError`.
    public init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
        schema = givenSchema
        migrationPlan = nil
        let own = configurations.compactMap { $0 as? ModelConfiguration }
        self.configurations = Set(own)
        let others = configurations.filter { !($0 is ModelConfiguration) }
        core = try ContainerCore(
            StoreOpening(schema: givenSchema, plan: nil, configurations: own, others: others))
    }

    /// Creates a container with stores of any form, for classes and the destinations of their relationships.
    ///
    /// - Throws: An error of a store's initializer, or `SwiftDataError`.
    public convenience init(
        for forTypes: any PersistentModel.Type..., configurations: [any DataStoreConfiguration]
    ) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    /// Returns whether two containers have the same open stores.
    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs.core === rhs.core }

    // MARK: Contexts

    /// The context of the main actor.
    @MainActor public var mainContext: ModelContext {
        if let main { return main }
        // Another container with the stores, which was released, may have made it.
        let new = core.mainContext ?? ModelContext(self, isMain: true)
        main = new
        return new
    }

    // MARK: Deleting

    /// Deletes the contents of all stores. Errors are logged; `erase()` throws them.
    public func deleteAllData() {
        do {
            try erase()
        } catch {
            StandardError.write("SwiftData: deleteAllData failed: \(error)\n")
        }
    }

    /// Deletes the contents of all stores, without loading any model.
    ///
    /// - Throws: A store's error. The models that were deleted before stay deleted.
    public func erase() throws {
        var erased: Set<String> = []
        do {
            try erase(&erased)
            core.recordErasure()
        } catch {
            core.recordErasure(of: erased)
            throw error
        }
    }

    /// Deletes the contents of all stores.
    ///
    /// - Parameter erased: Receives the names of the root entities whose models were deleted.
    private func erase(_ erased: inout Set<String>) throws {
        for store in core.bridges {
            try store.erase()
            let entities = core.model.entities(forConfigurationName: store.configurationName) ?? core.model.entities
            erased.formUnion(entities.map(\.rootName))
        }
        let context = ModelContext(self)
        var left =
            core.bridges.count == core.coordinator.persistentStores.count
            ? [] : core.model.entities.filter { $0.superentity == nil }
        while !left.isEmpty {
            // An entity whose models others require is deleted after the others.
            var blocked: [(NSEntityDescription, any Error)] = []
            for entity in left {
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
                do {
                    _ = try context.managed.execute(NSBatchDeleteRequest(fetchRequest: request))
                    erased.insert(entity.rootName)
                } catch {
                    blocked.append((entity, error))
                }
            }
            if blocked.count == left.count, let error = blocked.first?.1 { throw error }
            left = blocked.map(\.0)
        }
    }
}

/// The open stores of a container, which contexts keep open.
final class ContainerCore: @unchecked Sendable {
    let schema: Schema
    let plan: (any SchemaMigrationPlan.Type)?
    let configurations: Set<ModelConfiguration>
    let model: NSManagedObjectModel
    let coordinator: NSPersistentStoreCoordinator
    /// The context of the main actor.
    weak var mainContext: ModelContext?
    private let hasBridges: Bool
    private let lock = NSLock()
    private var inboxes: [WeakInbox] = []

    private struct WeakInbox {
        weak var inbox: SaveInbox?
    }

    init(_ opening: StoreOpening) throws {
        schema = opening.schema
        plan = opening.plan
        configurations = Set(opening.configurations)
        model = opening.model
        coordinator = try opening.open()
        hasBridges = !opening.others.isEmpty
    }

    /// Opens a store with a version of its schema, during a migration.
    ///
    /// - Parameter configurationName: The name of the model's configuration; `nil` for all entities.
    init(
        schema: Schema, model: NSManagedObjectModel, configuration: ModelConfiguration, configurationName: String?
    ) throws {
        self.schema = schema
        plan = nil
        configurations = [configuration]
        self.model = model
        hasBridges = false
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try StoreOpening.add(configuration, to: coordinator, configurationName: configurationName)
    }

    deinit {
        // SQLite files are closed now, so that they can be removed or opened again.
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// The custom stores.
    var bridges: [BridgeStore] { hasBridges ? coordinator.persistentStores.compactMap { $0 as? BridgeStore } : [] }

    /// Adds a context's inbox to those notified of saves.
    func register(_ inbox: SaveInbox) {
        lock.withLock {
            inboxes.removeAll { $0.inbox == nil }
            inboxes.append(WeakInbox(inbox: inbox))
        }
    }

    /// Notifies all contexts that no model is left.
    ///
    /// - Parameter entities: The names of the root entities whose models were deleted; `nil` for all.
    func recordErasure(of entities: Set<String>? = nil) {
        for inbox in lock.withLock({ inboxes.compactMap(\.inbox) }) {
            inbox.add(SaveInbox.Save(inserted: [], updated: [], deleted: [], erased: .init(roots: entities)))
        }
    }

    /// Notifies the other contexts of what one of them has saved.
    func recordSave(_ save: SaveInbox.Save, by own: SaveInbox) {
        guard !save.isEmpty else { return }
        let others = lock.withLock { inboxes.compactMap(\.inbox).filter { $0 !== own } }
        for inbox in others { inbox.add(save) }
    }
}

extension NSEntityDescription {
    /// The name of the entity at the top of the hierarchy.
    var rootName: String { sequence(first: self, next: \.superentity).reduce(self) { $1 }.name ?? "" }
}
