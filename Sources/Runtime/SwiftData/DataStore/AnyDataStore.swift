internal import Foundation

/// A custom store, without its type.
class AnyDataStore {
    struct Saved {
        var remapped: [PersistentIdentifier: PersistentIdentifier]
        var changed: [PersistentIdentifier: DefaultSnapshot]
    }

    struct Found {
        var snapshots: [DefaultSnapshot]
        var related: [DefaultSnapshot]
        /// Whether the store has applied the query.
        var isComplete: Bool
    }

    var identifier: String { fatalError("abstract") }

    /// Returns the models of a class; those that a query finds if the store can tell.
    func fetch<T: PersistentModel>(_ type: T.Type, _ descriptor: FetchDescriptor<T>?, editing state: EditingState)
        throws
        -> Found
    {
        fatalError("abstract")
    }

    func save(
        inserted: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot], _ state: EditingState
    ) throws -> Saved { fatalError("abstract") }

    func erase() throws { fatalError("abstract") }

    /// Returns the transactions of a store with a history; nil if the transactions of others are asked for.
    func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? { nil }

    /// Deletes transactions of a store with a history. Returns whether it has such ones.
    func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool { false }

    /// Opens a store.
    static func open(
        _ configuration: any DataStoreConfiguration, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws -> AnyDataStore {
        func open<C: DataStoreConfiguration>(_ configuration: C) throws -> AnyDataStore {
            try configuration.validate()
            guard C.Store.Snapshot.self == DefaultSnapshot.self else {
                throw SwiftDataError(
                    .loadIssueModelContainer,
                    "the type of snapshots of \(C.Store.self) is \(C.Store.Snapshot.self); on Linux it has to be DefaultSnapshot"
                )
            }
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
    ) throws -> Found {
        if let descriptor {
            do {
                return try fetch(descriptor, editing: state, isComplete: true)
            } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort,
                DataStoreError.invalidPredicate, DataStoreError.unsupportedFeature
            {}
        }
        return try fetch(FetchDescriptor<T>(), editing: state, isComplete: false)
    }

    private func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, editing state: EditingState, isComplete: Bool
    ) throws -> Found {
        let result = try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        return Found(
            snapshots: result.fetchedSnapshots.compactMap { $0 as? DefaultSnapshot },
            related: result.relatedSnapshots.values.compactMap { $0 as? DefaultSnapshot }, isComplete: isComplete)
    }

    override func save(
        inserted: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot], _ state: EditingState
    ) throws -> Saved {
        func own(_ snapshots: [DefaultSnapshot]) -> [Store.Snapshot] { snapshots.compactMap { $0 as? Store.Snapshot } }
        let result = try store.save(
            DataStoreSaveChangesRequest(
                editingState: state, inserted: own(inserted), updated: own(updated), deleted: own(deleted)))
        return Saved(
            remapped: result.remappedIdentifiers,
            changed: result.snapshotsToReregister.compactMapValues { $0 as? DefaultSnapshot })
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
