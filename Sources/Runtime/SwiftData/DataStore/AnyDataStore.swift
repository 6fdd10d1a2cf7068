internal import Foundation

/// A custom store, without its type.
class AnyDataStore {
    struct Saved {
        var remapped: [PersistentIdentifier: PersistentIdentifier]
        var changed: [PersistentIdentifier: DefaultSnapshot]
    }

    struct FetchResult {
        var snapshots: [DefaultSnapshot]
        var related: [DefaultSnapshot]
        /// Whether the store has applied the query.
        var isComplete: Bool
    }

    var identifier: String { fatalError("abstract") }

    /// Returns the models of a class; those that a query finds if the store can tell.
    func fetch<T: PersistentModel>(_ type: T.Type, _ descriptor: FetchDescriptor<T>?, editing state: EditingState)
        throws
        -> FetchResult
    {
        fatalError("abstract")
    }

    /// Returns the number of models that a query finds; `nil` if the context has to filter.
    func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, editing state: EditingState) throws -> Int? {
        fatalError("abstract")
    }

    /// Returns the identifiers of the models that a query finds; `nil` if the context has to filter or sort.
    func identifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, editing state: EditingState
    ) throws -> [PersistentIdentifier]? { fatalError("abstract") }

    /// Returns the values that the store has in memory.
    func cachedSnapshots(
        for identifiers: [PersistentIdentifier], editing state: EditingState
    ) throws -> [DefaultSnapshot] { fatalError("abstract") }

    func save(
        inserted: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot], _ state: EditingState
    ) throws -> Saved { fatalError("abstract") }

    func initializeState(for state: EditingState) { fatalError("abstract") }

    func invalidateState(for state: EditingState) { fatalError("abstract") }

    func erase() throws { fatalError("abstract") }

    /// Returns the transactions of a store with a history; `nil` if `T` is not the type of its transactions.
    func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? { nil }

    /// Deletes transactions of a store with a history. Returns whether it has such ones.
    func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool { false }

    /// Opens a store.
    static func open(
        _ configuration: any DataStoreConfiguration, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws -> AnyDataStore {
        func open<C: DataStoreConfiguration>(_ configuration: C) throws -> AnyDataStore {
            try configuration.validate()
            return TypedDataStore<C.Store>(try C.Store(configuration, migrationPlan: plan))
        }
        return try open(configuration)
    }
}

/// A custom store.
private final class TypedDataStore<Store: DataStore>: AnyDataStore {
    private let store: Store

    init(_ store: Store) { self.store = store }

    override var identifier: String { store.identifier }

    override func fetch<T: PersistentModel>(
        _ type: T.Type, _ descriptor: FetchDescriptor<T>?, editing state: EditingState
    ) throws -> FetchResult {
        if let descriptor,
            let found = try resultUnlessDeferred({ try fetch(descriptor, editing: state, isComplete: true) })
        {
            return found
        }
        return try fetch(FetchDescriptor<T>(), editing: state, isComplete: false)
    }

    /// Returns the result of a request; `nil` if the store leaves it to the context.
    private func resultUnlessDeferred<Result>(_ request: () throws -> Result) throws -> Result? {
        do {
            return try request()
        } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort,
            DataStoreError.invalidPredicate, DataStoreError.unsupportedFeature
        {
            return nil
        }
    }

    override func count<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, editing state: EditingState
    ) throws -> Int? {
        try resultUnlessDeferred {
            try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        }
    }

    override func identifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, editing state: EditingState
    ) throws -> [PersistentIdentifier]? {
        try resultUnlessDeferred {
            try store.fetchIdentifiers(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        }
    }

    override func cachedSnapshots(
        for identifiers: [PersistentIdentifier], editing state: EditingState
    ) throws -> [DefaultSnapshot] {
        try snapshots(Array(store.cachedSnapshots(for: identifiers, editingState: state).values))
    }

    override func initializeState(for state: EditingState) { store.initializeState(for: state) }

    override func invalidateState(for state: EditingState) { store.invalidateState(for: state) }

    // MARK: Snapshots

    /// Returns snapshots of the store's type with the values of others. Types other than `DefaultSnapshot` are decoded.
    private func own(_ snapshots: [DefaultSnapshot]) throws -> [Store.Snapshot] {
        if let own = snapshots as? [Store.Snapshot] { return own }
        return try JSONDecoder().decode([Store.Snapshot].self, from: try JSONEncoder().encode(snapshots))
    }

    /// Returns the values of snapshots of the store's type.
    private func snapshots(_ own: [any DataStoreSnapshot]) throws -> [DefaultSnapshot] {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        return try own.map { snapshot in
            if let snapshot = snapshot as? DefaultSnapshot { return snapshot }
            return try decoder.decode(DefaultSnapshot.self, from: try encoder.encode(snapshot))
        }
    }

    private func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, editing state: EditingState, isComplete: Bool
    ) throws -> FetchResult {
        let result = try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        return FetchResult(
            snapshots: try snapshots(result.fetchedSnapshots),
            related: try snapshots(Array(result.relatedSnapshots.values)), isComplete: isComplete)
    }

    override func save(
        inserted: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot], _ state: EditingState
    ) throws -> Saved {
        let result = try store.save(
            DataStoreSaveChangesRequest(
                editingState: state, inserted: try own(inserted), updated: try own(updated), deleted: try own(deleted)))
        let changed = result.snapshotsToReregister
        return Saved(
            remapped: result.remappedIdentifiers,
            changed: Dictionary(uniqueKeysWithValues: zip(changed.keys, try snapshots(Array(changed.values)))))
    }

    override func erase() throws { try store.erase() }

    override func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        func read<P: HistoryProviding>(_ provider: P) throws -> [T]? {
            guard let own = descriptor as? HistoryDescriptor<P.HistoryType> else { return nil }
            return try provider.fetchHistory(own) as? [T]
        }
        return try (store as? any HistoryProviding).flatMap { try read($0) }
    }

    override func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        func delete<P: HistoryProviding>(_ provider: P) throws -> Bool {
            guard let own = descriptor as? HistoryDescriptor<P.HistoryType> else { return false }
            try provider.deleteHistory(own)
            return true
        }
        return try (store as? any HistoryProviding).map { try delete($0) } ?? false
    }
}
