internal import Foundation
internal import RuntimeSupport

/// Rows, members and fetches.
extension NSPersistentStoreCoordinator {
    /// Returns the row of an object, or `nil` if it does not exist.
    final func row(
        for id: NSManagedObjectID, _ layout: EntityLayout, for context: NSManagedObjectContext
    ) throws -> Row? {
        guard let store = try store(of: id) else { return nil }
        return try lock.withLock {
            try reading(store, for: context) { try store.engine.row(for: id, layout) }
        }
    }

    /// Drops the cached rows of stores that other coordinators or processes have written to.
    final func dropStaleRows() {
        lock.withLock {
            for store in persistentStores {
                do {
                    try store.engine.dropStaleRows(olderThan: 0)
                } catch {
                    Log.error("the store at \(store.url?.path ?? "") cannot be checked for changes: \(error)")
                }
            }
        }
    }

    /// Returns the store of an object; `nil` for one that was never saved.
    ///
    /// - Throws: An error if the store was removed: its objects have not been deleted.
    private final func store(of id: NSManagedObjectID) throws -> NSPersistentStore? {
        if let store = id.persistentStore { return store }
        guard let storeIdentity = id.storeIdentity else { return nil }
        throw CoreDataError.error(
            .persistentStoreOperation,
            text: "the store \(storeIdentity.uuid) of \(id.uriRepresentation()) was removed from the coordinator",
            userInfo: ["objectID": id])
    }

    /// Returns the IDs in a to-many relationship.
    final func members(
        of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout, for context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        guard let store = try store(of: id) else { return [] }
        return try lock.withLock {
            try reading(store, for: context) { try store.engine.members(of: id, at: index, layout) }
        }
    }

    /// Calls a function with the owners and rows of the members of a to-many relationship of many objects of one store.
    final func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout, in store: NSPersistentStore,
        for context: NSManagedObjectContext,
        _ body: (_ storeIdentity: StoreIdentity, _ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws {
        try lock.withLock {
            try reading(store, for: context) {
                let storeIdentity = store.storeIdentity
                try store.engine.forEachMember(of: ids, at: index, layout) { body(storeIdentity, $0, $1, $2, $3) }
            }
        }
    }

    /// Executes a context's search in a store, and calls a function with the answer while the lock is held and the
    /// answer is valid.
    final func fetch<Result>(
        _ search: FetchSearch, from store: NSPersistentStore, for context: NSManagedObjectContext,
        _ body: (StoreAnswer) throws -> Result
    ) throws -> Result {
        let engine = store.engine
        let isFree =
            engine.traits.contains(.remote) && context.reading.pinned == nil && !context.reading.readsNewest
            && !lock.isHeld
        let ahead = isFree ? engine.fetchAhead(search) : nil
        return try lock.withLock {
            try reading(store, for: context) { try body(engine.fetch(search, ahead: ahead)) }
        }
    }

    /// Returns the rows of many objects; `nil` for those that do not exist.
    final func rows(for ids: [NSManagedObjectID], for context: NSManagedObjectContext) throws -> [Row?] {
        try lock.withLock {
            var rows = [Row?](repeating: nil, count: ids.count)
            var groups: [ObjectIdentifier: (store: NSPersistentStore, indices: [Int])] = [:]
            if let store = commonStore(of: ids) {
                return try reading(store, for: context) { try store.engine.rows(for: ids) }
            }
            for (index, id) in ids.enumerated() {
                guard let store = try store(of: id) else { continue }
                groups[ObjectIdentifier(store), default: (store, [])].indices.append(index)
            }
            for (store, indices) in groups.values {
                let found = try reading(store, for: context) {
                    try store.engine.rows(for: indices.map { ids[$0] })
                }
                for (index, row) in zip(indices, found) { rows[index] = row }
            }
            return rows
        }
    }

    /// Returns the store that contains all of the objects, or `nil` if there are several. Nearly always there is one.
    private func commonStore(of ids: [NSManagedObjectID]) -> NSPersistentStore? {
        guard let storeIdentity = ids.first?.storeIdentity,
            ids.allSatisfyUncounted({ $0.storeIdentity === storeIdentity })
        else { return nil }
        return storeIdentity.store
    }

    final func stores(of request: FetchSettings) -> [NSPersistentStore] {
        guard let affected = request.affectedStores else { return persistentStores }
        return persistentStores.filter { store in affected.contains { $0 === store } }
    }
}
