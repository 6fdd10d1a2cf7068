internal import Foundation
internal import RuntimeSupport

/// Saves and batch requests.
extension NSPersistentStoreCoordinator {
    /// Writes changes to all stores or to none: all are prepared before the first is committed.
    ///
    /// - Parameters:
    ///   - changes: The changes to write.
    ///   - locked: Objects without changes that must not have been saved elsewhere either.
    /// - Throws: `SaveConflicts` if another context or program has saved the same objects in the meantime, or the
    ///   conflicts that a store has found; `IncompleteSave` if a store failed after another one was committed, or the
    ///   outcome is unknown.
    final func save(
        _ changes: [ObjectChange], locked: [ObjectChange] = [], by context: NSManagedObjectContext
    ) throws -> SaveResult {
        try lock.withLock {
            let groups = try storeGroups(of: changes)
            try checkWritable(groups.map(\.store))
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
                            try performingRequest(for: context) { try group.store.engine.prepare(save) }
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
                let saved = try performingRequest(for: context) { try save.commit() }
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

    /// Returns whether a save arrived whose outcome was unknown; `nil` if the stores cannot tell.
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
                func compare(_ change: ObjectChange, with current: Row?) {
                    if let conflict = change.conflict(with: current) { conflicts.append(conflict) }
                }
                if engine.traits.contains(.remote) {
                    func find(in changes: [ObjectChange]) throws -> [SaveConflicts.Conflict] {
                        zip(changes, try engine.rows(for: changes.map(\.id))).compactMap { change, row in
                            change.conflict(with: row?.fitted(to: change.layout))
                        }
                    }
                    let found = try find(in: run.filter { $0.kind != .insert })
                    guard !found.isEmpty else { return }
                    // The cache may have what a standby has answered, which lags behind.
                    try engine.dropStaleRows(olderThan: 0)
                    conflicts += try find(in: found.map(\.change))
                    return
                }
                try run.forEachUncounted { change in
                    guard change.kind != .insert else { return }
                    compare(change, with: try engine.row(for: change.id, change.layout))
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

    // MARK: Batch requests

    /// Executes a batch request: an insertion in the store for the entity's new objects, all others in every store that
    /// holds the entity.
    final func execute(_ batch: BatchChange, for context: NSManagedObjectContext) throws -> BatchOutcome {
        try lock.withLock {
            var stores = (batch.request.affectedStores ?? persistentStores).filter { store in
                persistentStores.contains { $0 === store } && holds(batch.layout, store)
            }
            if case .insert = batch.kind { stores = Array((stores.filter { !$0.isReadOnly } + stores).prefix(1)) }
            guard !stores.isEmpty else { throw noStore(for: batch.layout) }
            try checkWritable(stores)
            var outcome = BatchOutcome()
            try performingRequest(for: context) {
                for store in stores {
                    guard store.engine.traits.contains(.executesBatches) else {
                        throw CoreDataError.error(
                            .persistentStoreUnsupportedRequestType,
                            text: "a store of the type \(store.type) does not support batch requests",
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
