internal import Foundation
internal import RuntimeSupport

/// Access of contexts to stores: rows, fetches, batch requests and saves.
extension NSPersistentStoreCoordinator {
    /// Returns the row of an object, or nil if it does not exist.
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

    /// Returns the store of an object; nil for one that was never saved.
    ///
    /// - Throws: an error if the store was removed: its objects have not been deleted.
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
        let isFree = engine.traits.contains(.remote) && context.reading.pinned == nil && !lock.isHeld
        let ahead = isFree ? engine.fetchAhead(search) : nil
        return try lock.withLock {
            try reading(store, for: context) { try body(engine.fetch(search, ahead: ahead)) }
        }
    }

    /// Returns the rows of many objects; nil for those that do not exist.
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

    /// Returns the store that contains all of the objects, or nil if there are several. Nearly always there is one.
    private func commonStore(of ids: [NSManagedObjectID]) -> NSPersistentStore? {
        guard let storeIdentity = ids.first?.storeIdentity,
            ids.allSatisfyUncounted({ $0.storeIdentity === storeIdentity })
        else { return nil }
        return storeIdentity.store
    }

    /// Returns the stores that a request searches.
    final func stores(of request: FetchSettings) -> [NSPersistentStore] {
        guard let affected = request.affectedStores else { return persistentStores }
        return persistentStores.filter { store in affected.contains { $0 === store } }
    }

    /// Executes a batch request: an insertion in the store for the entity's new objects, all others in every store that
    /// holds the entity.
    final func execute(_ batch: BatchChange, for context: NSManagedObjectContext) throws -> BatchOutcome {
        try lock.withLock {
            var stores = (batch.request.affectedStores ?? persistentStores).filter { store in
                persistentStores.contains { $0 === store } && holds(batch.layout, store)
            }
            if case .insert = batch.kind { stores = Array((stores.filter { !$0.isReadOnly } + stores).prefix(1)) }
            guard !stores.isEmpty else { throw noStore(for: batch.layout) }
            try check(stores)
            var outcome = BatchOutcome()
            try asking(for: context) {
                for store in stores {
                    guard store.engine.traits.contains(.executesBatches) else {
                        throw CoreDataError.error(
                            .persistentStoreUnsupportedRequestType,
                            text: "a store of the type \(store.type) does not carry out batch requests",
                            userInfo: [NSAffectedStoresErrorKey: [store]])
                    }
                    var batch = batch
                    batch.settings.affectedStores = [store]
                    let evaluation = BatchEvaluation(batch.layout, in: store) { [unowned self] in
                        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                        context.persistentStoreCoordinator = self
                        return context
                    }
                    outcome.add(try store.engine.execute(batch, with: evaluation))
                }
            }
            return outcome
        }
    }

    /// Returns permanent IDs for new objects, each in the store that it is assigned to, or else the first for its
    /// entity.
    final func newIDs(
        for objects: [NSManagedObject], _ assigned: [ObjectIdentifier: AnyObject]
    ) throws -> [NSManagedObjectID] {
        try lock.withLock {
            if assigned.isEmpty, let store = try commonStore(forNew: objects) {
                try check([store])
                return try store.engine.permanentIDs(for: objects.map { NewObject($0.layout, $0) })
            }
            var result = [NSManagedObjectID?](repeating: nil, count: objects.count)
            var groups: [ObjectIdentifier: (store: NSPersistentStore, indices: [Int])] = [:]
            var storesByLayout: [ObjectIdentifier: NSPersistentStore] = [:]
            for (index, object) in objects.enumerated() {
                let layout = ObjectIdentifier(object.layout)
                let own = assigned[ObjectIdentifier(object)].map { unsafeDowncast($0, to: NSPersistentStore.self) }
                let known = own ?? storesByLayout[layout]
                guard let store = known ?? store(forNew: object.layout) else { throw noStore(for: object.layout) }
                if known == nil { storesByLayout[layout] = store }
                groups[ObjectIdentifier(store), default: (store, [])].indices.append(index)
            }
            try check(groups.values.map(\.store))
            for (store, indices) in groups.values {
                let new = indices.map { NewObject(objects[$0].layout, objects[$0]) }
                for (index, id) in zip(indices, try store.engine.permanentIDs(for: new)) {
                    result[index] = id
                }
            }
            return result.compactMap { $0 }
        }
    }

    /// Returns the store that all of the new objects belong in, or nil if there are several. Nearly always there is
    /// one.
    private func commonStore(forNew objects: [NSManagedObject]) throws -> NSPersistentStore? {
        var lastLayout: EntityLayout?
        var common: NSPersistentStore?
        for object in objects where object.layout !== lastLayout {
            lastLayout = object.layout
            guard let store = store(forNew: object.layout) else { throw noStore(for: object.layout) }
            guard common == nil || common === store else { return nil }
            common = store
        }
        return common
    }

    private func noStore(for layout: EntityLayout) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text: persistentStores.isEmpty
                ? "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation."
                : "no store of the coordinator holds objects of the entity “\(layout.name)”")
    }

    /// Writes changes to all stores or to none: all are prepared before the first is committed.
    ///
    /// - Parameters:
    ///   - changes: the changes to write.
    ///   - locked: objects without changes that must not have been saved elsewhere either.
    /// - Throws: `SaveConflicts` if others have saved the same objects in the meantime, or the conflicts that a store has
    ///   found; `IncompleteSave` if a store failed after others were committed, or the outcome is unknown.
    final func save(
        _ changes: [ObjectChange], locked: [ObjectChange] = [], by context: NSManagedObjectContext
    ) throws -> SaveResult {
        try lock.withLock {
            let groups = try storeGroups(of: changes)
            try check(groups.map(\.store))
            // Compares changes with the store's current rows, even if the context is pinned to an older generation.
            context.reading.readsNewest = true
            defer { context.reading.readsNewest = false }
            try checkConflicts(locked.isEmpty ? changes : changes + locked, context)
            var prepared: [(group: StoreGroup, save: PreparedSave)] = []
            do {
                for group in groups {
                    let ownChanges = group.changes(of: changes)
                    let save = StoreSave(
                        changes: ownChanges,
                        locked: locked.filter { $0.id.persistentStore === group.store },
                        author: context.transactionAuthor, contextName: context.name,
                        computeDerivedValues: ownChanges.computeDerivedValues,
                        showsDerivedValues: context.showsDerivedValues)
                    prepared.append(
                        (
                            group,
                            try asking(for: context) { try group.store.engine.prepare(save) }
                        ))
                }
            } catch {
                for (_, save) in prepared.reversed() { save.rollBack() }
                throw error
            }
            // Stores that write as they commit come first: if the first one fails, nothing has been committed.
            return try commit(
                prepared.filter { !$0.save.isWritten } + prepared.filter(\.save.isWritten), changes: changes,
                context: context)
        }
    }

    /// A store, and the indices of the changes that it saves.
    private struct StoreGroup {
        var store: NSPersistentStore
        var indices: [Int] = []

        /// Returns the store's own changes. Nearly always there is one store, and nothing to filter.
        func changes(of all: [ObjectChange]) -> [ObjectChange] {
            indices.count == all.count ? all : indices.map { all[$0] }
        }
    }

    /// Returns the stores of a save, in the order in which all coordinators with the same stores lock them.
    private func storeGroups(of changes: [ObjectChange]) throws -> [StoreGroup] {
        var groups = storesWithUnsavedMetadata.map { StoreGroup(store: $0) }
        var (lastIdentity, lastGroup): (Unmanaged<StoreIdentity>?, Int) = (nil, 0)
        var number = -1
        try changes.forEachUncounted { change in
            number += 1
            let index = number
            if let lastIdentity, change.id.isAt(lastIdentity) {
                groups[lastGroup].indices.append(index)
                return
            }
            guard let store = change.id.persistentStore else {
                throw CoreDataError.error(
                    .persistentStoreSave, text: "the store of \(change.id.uriRepresentation()) was removed",
                    userInfo: [NSAffectedObjectsErrorKey: [change.reference]])
            }
            if let group = groups.firstIndex(where: { $0.store === store }) {
                groups[group].indices.append(index)
                lastGroup = group
            } else {
                groups.append(StoreGroup(store: store, indices: [index]))
                lastGroup = groups.count - 1
            }
            lastIdentity = change.id.storeIdentity.map { .passUnretained($0) }
        }
        guard groups.count > 1 else { return groups }
        return groups.sorted {
            ($0.store.identifier ?? "").utf8.lexicographicallyPrecedes(($1.store.identifier ?? "").utf8)
        }
    }

    /// Commits prepared saves in order.
    private func commit(
        _ prepared: [(group: StoreGroup, save: PreparedSave)], changes: [ObjectChange],
        context: NSManagedObjectContext
    ) throws -> SaveResult {
        let count = changes.count
        var result = SaveResult(rows: [Row?](repeating: nil, count: count))
        var committed: [Int] = []
        for (number, (group, save)) in prepared.enumerated() {
            do {
                let saved = try asking(for: context) { try save.commit() }
                if group.indices.count == count {
                    result.rows = saved.rows
                } else {
                    for (index, row) in zip(group.indices, saved.rows) { result.rows[index] = row }
                }
                group.store.hasUnsavedMetadata = false
                result.derived.merge(saved.derived) { $1 }
                committed += group.indices
            } catch {
                for (_, rest) in prepared[(number + 1)...].reversed() { rest.rollBack() }
                let unknown = error as? UnknownSaveOutcome
                // Nothing has been saved, so conflicts can still be resolved.
                if number == 0, unknown == nil { throw error }
                throw IncompleteSave(
                    changes: changes, saved: result, committed: committed,
                    uncertain: unknown == nil ? [] : group.indices, transaction: unknown?.transaction,
                    store: group.store, path: group.store.url.map { Redaction.url($0).path } ?? "",
                    reason: unknown?.reason ?? error)
            }
        }
        return result
    }

    /// Returns whether a save arrived whose outcome was unknown; nil if the stores cannot tell.
    final func outcome(ofUncertain changes: [ObjectChange], transaction: Int64?) throws -> Bool? {
        try lock.withLock {
            for group in try storeGroups(of: changes) where !group.indices.isEmpty {
                let changes = group.changes(of: changes)
                let engine = group.store.engine
                if let outcome = try engine.outcome(ofUncertain: changes, transaction: transaction) { return outcome }
            }
            return nil
        }
    }

    /// The stores whose metadata the next save writes.
    final var storesWithUnsavedMetadata: [NSPersistentStore] {
        lock.withLock { persistentStores.filter { $0.hasUnsavedMetadata && !$0.isReadOnly } }
    }

    private func check(_ stores: [NSPersistentStore]) throws {
        guard let store = stores.first(where: \.isReadOnly) else { return }
        var userInfo: [String: Any] = [NSAffectedStoresErrorKey: [store]]
        userInfo[NSURLErrorKey] = store.url
        userInfo[NSFilePathErrorKey] = store.url.flatMap { $0.isFileURL ? $0.path : nil }
        throw CoreDataError.error(
            .fileWriteNoPermission, text: "the store at \(store.url?.path ?? "an unknown place") is read-only",
            userInfo: userInfo)
    }

    /// Compares the versions that the context knows with those in the stores.
    private func checkConflicts(_ changes: [ObjectChange], _ context: NSManagedObjectContext) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        for run in runs(of: changes) {
            guard let first = run.first, !run.allSatisfyUncounted({ $0.kind == .insert }) else { continue }
            guard let store = first.id.persistentStore else {
                conflicts += run.compactMap { $0.kind == .insert ? nil : $0.conflict(with: nil) }
                continue
            }
            let engine = store.engine
            try reading(store, for: context) {
                if engine.traits.contains(.remote) {
                    _ = try engine.rows(for: run.compactMap { $0.kind == .insert ? nil : $0.id })
                }
                try run.forEachUncounted { change in
                    guard change.kind != .insert else { return }
                    let current = try engine.row(for: change.id, change.layout)
                    if let conflict = change.conflict(with: current) { conflicts.append(conflict) }
                }
            }
        }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts: conflicts) }
    }

    /// Returns the changes in runs of one store each, so that each run is read with one request. Usually all objects
    /// are in one store.
    private func runs(of changes: [ObjectChange]) -> [[ObjectChange]] {
        guard let storeIdentity = changes.first?.id.storeIdentity else { return changes.map { [$0] } }
        if changes.allSatisfyUncounted({ $0.id.storeIdentity === storeIdentity }) { return [changes] }
        var runs: [[ObjectChange]] = []
        for change in changes {
            if let last = runs.last?.last, last.id.storeIdentity === change.id.storeIdentity {
                runs[runs.count - 1].append(change)
            } else {
                runs.append([change])
            }
        }
        return runs
    }
}

extension SavedIDs {
    /// Returns the IDs with a coordinator's own stores: they may come from another coordinator for the same stores.
    ///
    /// Omits the IDs of stores that the coordinator does not have.
    func local(to coordinator: NSPersistentStoreCoordinator) -> SavedIDs {
        let stores = coordinator.persistentStores
        func local(_ id: NSManagedObjectID) -> NSManagedObjectID? {
            guard let storeIdentity = id.storeIdentity else { return id }
            if storeIdentity.store?.persistentStoreCoordinator === coordinator { return id }
            guard let store = stores.first(where: { $0.identifier == storeIdentity.uuid }),
                let layout = coordinator.layout(named: id.layout.name)
            else { return nil }
            return NSManagedObjectID(id.reference, layout, store: store)
        }
        return SavedIDs(
            inserted: inserted.compactMap(local), updated: updated.compactMap(local), deleted: deleted.compactMap(local)
        )
    }
}
