internal import Foundation
internal import RuntimeSupport

/// Loading the values of many objects at once.
extension NSManagedObjectContext {
    /// Applies the prefetching and faulting settings of a request to fetched objects.
    final func prepare(_ objects: [NSManagedObject], _ request: FetchSettings) throws {
        if request.shouldRefreshRefetchedObjects {
            merging.refresh(objects.filter { !$0.lacksValues }, keepsChanges: true)
        }
        if !request.returnsObjectsAsFaults {
            // With a batch size, only the first batch.
            let size = request.fetchBatchSize
            try realize(size > 0 ? Array(objects.prefix(size)) : objects)
        }
        if request.fetchBatchSize > 0 { recordBatches(objects, size: request.fetchBatchSize) }
        for keyPath in request.prefetchedKeyPaths ?? [] { try prefetch(keyPath, of: objects, layout(of: request)) }
    }

    /// Loads the values of all faults among some objects.
    final func realize(_ objects: [NSManagedObject]) throws {
        // The same condition as when a fault is fired.
        let usesPending = reading.token == nil && settings.stalenessInterval < 0
        var faults: [NSManagedObject] = []
        objects.forEachUncounted { object in
            guard object.lacksValues else { return }
            if usesPending, object.adoptPending() { wake(object) } else { faults.append(object) }
        }
        guard !faults.isEmpty else { return }
        guard faults.count > 1 else {
            for object in faults { object.realize() }
            return
        }
        let rows = try valuesOfMany(faults.map(\.directID))
        for (object, row) in zip(faults, rows) where object.lacksValues {
            if let row { fill(object, with: row) } else { object.realize() }
        }
    }

    // MARK: Batches

    /// Records which faults are loaded together.
    private final func recordBatches(_ objects: [NSManagedObject], size: Int) {
        var stores = BatchLoadingStores()
        let faults = objects.filter { $0.lacksValues && stores.contain($0.directID) }
        if !faults.isEmpty { contents.faultBatches.add(faults.map(\.directID), size: size, registry) }
    }

    /// Loads the batch that contains a fault. Returns `false` if no batch does, or the object is still a fault.
    final func loadBatch(of object: NSManagedObject) -> Bool {
        guard let ids = contents.faultBatches.take(object.directID) else { return false }
        // If loading fails here, the object is requested again on its own, and the error reported then.
        try? realize(ids.compactMap { registry[$0] })
        return !object.lacksValues
    }

    // MARK: Relationships

    /// Looks up the relationships along a path, and loads their destination objects. Traps if a key is not a
    /// relationship.
    private final func prefetch(_ keyPath: String, of objects: [NSManagedObject], _ layout: EntityLayout) throws {
        var (objects, layout) = (objects, layout)
        let keys = keyPath.split(separator: ".").map(String.init)
        for (number, key) in keys.enumerated() {
            guard let index = layout.index(of: key),
                let relationship = layout.slots[index].property as? NSRelationshipDescription
            else {
                misuse(
                    "NSInvalidArgumentException",
                    "prefetching “\(keyPath)” failed: “\(key)” is not a relationship of the entity “\(layout.name)”")
            }
            if relationship.isToMany {
                objects = try loadMembers(at: index, of: objects, layout, isLast: number == keys.count - 1)
            } else {
                try realize(objects)
                var seen: Set<ObjectIdentifier> = []
                objects = objects.compactMap { $0.toOne(at: index) }
                    .filter { seen.insert(ObjectIdentifier($0)).inserted }
                try realize(objects)
            }
            guard let next = relationship.destinationEntity else { return }
            layout = self.layout(for: next)
        }
    }

    /// The number of members that are loaded at once: with more, the first have left the processor's cache when they
    /// are used.
    private static let prefetchSize = 1024

    /// Looks up a to-many relationship of several objects, and loads its members, a few objects at a time.
    ///
    /// - Returns: The members, each once; empty if `isLast`, as they are not followed further.
    private final func loadMembers(
        at index: Int, of objects: [NSManagedObject], _ layout: EntityLayout, isLast: Bool
    ) throws -> [NSManagedObject] {
        let slot = layout.slots[index]
        // A member has at most one owner if the inverse is to-one.
        let isExclusive = slot.inverse >= 0 && !slot.inverseIsToMany
        var seen: Set<ObjectIdentifier> = []
        var result: [NSManagedObject] = []
        var rest = objects[...]
        var size = 16
        while !rest.isEmpty {
            let owners = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            try realize(owners)
            try lookUpMembers(at: index, of: owners, layout)
            var members: [NSManagedObject] = []
            for owner in owners {
                let own = owner.toMany(at: index).members
                members += isExclusive ? own : own.filter { seen.insert(ObjectIdentifier($0)).inserted }
            }
            try realize(members)
            size = max(1, min(Self.prefetchSize, owners.count * Self.prefetchSize / max(members.count, 1)))
            if !isLast { result += members }
        }
        return result
    }

    /// Looks up a to-many relationship of many objects at once.
    final func lookUpMembers(at index: Int, of objects: [NSManagedObject], _ layout: EntityLayout) throws {
        if let parent { return try lookUpMembers(at: index, of: objects, layout, in: parent) }
        var batchStores = BatchLoadingStores()
        let unknown = objects.filter { object in
            guard case .null = object.realizedSlots()[index] else { return false }
            return !object.isMarkedInserted && batchStores.contain(object.directID)
        }
        guard !unknown.isEmpty, let coordinator = rootCoordinator else { return }
        let stores = Dictionary(grouping: unknown) { $0.directID.persistentStore.map { ObjectIdentifier($0) } }
        for group in stores.values {
            guard let store = group[0].objectID.persistentStore else { continue }
            var lists = [[NSManagedObject]](repeating: [], count: group.count)
            var maker = RowObjectMaker(self)
            try coordinator.forEachMember(of: group.map(\.directID), at: index, layout, in: store, for: self) {
                storeIdentity, owner, key, layout, row in
                lists[owner].append(maker.object(key, layout: layout, row: row, storeIdentity: storeIdentity))
            }
            for (object, list) in zip(group, lists) {
                object.recordMembers(members(list, at: index, of: object), at: index)
            }
        }
    }

    /// Looks up a to-many relationship of many objects in the parent context with one request.
    private final func lookUpMembers(
        at index: Int, of objects: [NSManagedObject], _ layout: EntityLayout, in parent: NSManagedObjectContext
    ) throws {
        let unknown = objects.filter { object in
            guard case .null = object.realizedSlots()[index] else { return false }
            return !object.isMarkedInserted
        }
        guard unknown.count > 1 else { return }
        let ids = unknown.map(\.directID)
        let lists = try ask(parent) { () throws -> [[NSManagedObjectID]?] in
            let found = try parent.objectsForChild(ids.map { renames[$0] ?? $0 })
            try parent.lookUpMembers(at: index, of: found.compactMap(\.self), layout)
            return found.map { object -> [NSManagedObjectID]? in
                guard let storage = object?.toMany(at: index) else { return [] }
                return storage.isUnread ? nil : storage.members.map(\.objectID)
            }
        }
        for case (let object, let ids?) in zip(unknown, lists) {
            object.recordMembers(members(ids, at: index, of: object), at: index)
        }
    }
}

/// The stores that load many rows at once faster than one by one. Adjacent objects are mostly in the same store, which
/// is asked once.
private struct BatchLoadingStores {
    private var last: (identity: StoreIdentity, loads: Bool)?

    /// Returns whether an object is in such a store.
    mutating func contain(_ id: NSManagedObjectID) -> Bool {
        guard let identity = id.storeIdentity else { return false }
        if let last, last.identity === identity { return last.loads }
        let loads = id.persistentStore?.engine.traits.contains(.loadsRowsInBatches) == true
        last = (identity, loads)
        return loads
    }
}
