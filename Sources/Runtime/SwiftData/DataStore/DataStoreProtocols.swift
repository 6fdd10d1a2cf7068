public import Foundation

/// What identifies a context's changes for a store.
public struct EditingState: Hashable, Sendable, Identifiable {
    /// The context's identity.
    public let id: UUID
    /// The author.
    public var author: String?
}

/// The settings of a store: of Apple's form (`ModelConfiguration`), or of a custom one.
public protocol DataStoreConfiguration: Hashable {
    /// The store's class.
    associatedtype Store: DataStore where Self == Self.Store.Configuration
    /// The name, which identifies the store within its container.
    var name: String { get }
    /// The entities of the store; the container's if `nil`.
    var schema: Schema? { get set }
    /// Throws an error if the settings cannot be used.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Accepts all settings.
    public func validate() throws {}
}

/// A store of models: files in a custom format, or a service.
///
/// A store works with snapshots of models. What it cannot do itself - conditions and orders - it leaves to the context
/// with `DataStoreError.preferInMemoryFilter` and `.preferInMemorySort`. Snapshots of other types than
/// `DefaultSnapshot` are decoded from, and encoded to, the same form: `persistentIdentifier`, and the properties by
/// name.
public protocol DataStore: AnyObject {
    /// The type of the settings.
    associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
    /// The type of the models' values.
    associatedtype Snapshot: DataStoreSnapshot

    /// Opens the store.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
    /// The settings.
    var configuration: Configuration { get }
    /// The identifier, which is part of the identifiers of models. It stays the same when the store is opened again.
    var identifier: String { get }
    /// The entities.
    var schema: Schema { get }

    /// Returns the models that a query finds.
    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
    /// Returns the number of models that a query finds.
    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
    /// Returns the identifiers of the models that a query finds.
    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
    /// Saves changes.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
    /// Deletes the contents.
    func erase() throws
    /// Called when a context begins to use the store.
    func initializeState(for editingState: EditingState)
    /// Called when a context no longer uses the store.
    func invalidateState(for editingState: EditingState)
    /// Returns the values that the store has in memory.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Counts what `fetch(_:)` returns.
    ///
    /// - Throws: What `fetchIdentifiers(_:)` throws.
    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try fetchIdentifiers(request).count
    }
    /// Returns the identifiers of what `fetch(_:)` returns.
    ///
    /// - Throws: What `fetch(_:)` throws.
    public func fetchIdentifiers<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] {
        // A store may return related models, too.
        func names(_ entity: Schema.Entity) -> [String] { [entity.name] + entity.subentities.flatMap(names) }
        let entity = schema.entity(for: T.self)
        let expected = Set(entity.map(names) ?? [Schema.entityName(for: T.self)])
        return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter {
            expected.contains($0.entityName)
        }
    }
    /// Deletes nothing.
    ///
    /// - Throws: `DataStoreError.unsupportedFeature`.
    public func erase() throws { throw DataStoreError.unsupportedFeature }
    /// Does nothing.
    public func initializeState(for editingState: EditingState) {}
    /// Does nothing.
    public func invalidateState(for editingState: EditingState) {}
    /// Returns no values.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// What a store leaves to the context, or cannot do.
public enum DataStoreError: Error, Hashable {
    /// The store has no such feature.
    case unsupportedFeature
    /// The context filters: the store is asked for all models.
    case preferInMemoryFilter
    /// The context sorts: the store is asked for all models.
    case preferInMemorySort
    /// The store cannot evaluate the condition: it is asked for all models.
    case invalidPredicate
}

/// A request for models.
public struct DataStoreFetchRequest<T: PersistentModel> {
    /// The query.
    public let descriptor: FetchDescriptor<T>
    /// The context.
    public let editingState: EditingState

    /// Creates a request.
    public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
        self.descriptor = descriptor
        self.editingState = editingState
    }
}

/// The models that a store has found.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot> {
    /// The query.
    public let descriptor: FetchDescriptor<T>
    /// The models.
    public let fetchedSnapshots: [Snapshot]
    /// Other models: destinations of the models' relationships.
    public let relatedSnapshots: [PersistentIdentifier: Snapshot]

    /// Creates a result.
    public init(
        descriptor: FetchDescriptor<T>, fetchedSnapshots: [Snapshot],
        relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// A request to save changes.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot> {
    /// The context.
    public let editingState: EditingState
    /// The new models, with temporary identifiers.
    public let inserted: [Snapshot]
    /// The changed models.
    public let updated: [Snapshot]
    /// The deleted models.
    public let deleted: [Snapshot]

    /// Creates a request.
    public init(
        editingState: EditingState, inserted: [Snapshot] = [], updated: [Snapshot] = [], deleted: [Snapshot] = []
    ) {
        self.editingState = editingState
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// What a store has saved.
public struct DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot> {
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The permanent identifiers of new models, by their temporary ones.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Models whose values the store has changed.
    public let snapshotsToReregister: [PersistentIdentifier: Snapshot]

    /// Creates a result.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: Snapshot] = [:]
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
    }
}
