internal import Foundation

/// Copies all objects of a store into another, without hooks of objects, validation or notifications. Used under the
/// coordinator's lock.
struct StoreTransfer {
    private let source: NSPersistentStore
    private let destination: NSPersistentStore
    private let layouts: [EntityLayout]
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator, from source: NSPersistentStore, to destination: NSPersistentStore)
    {
        self.coordinator = coordinator
        self.source = source
        self.destination = destination
        let entities =
            coordinator.managedObjectModel.entities(forConfigurationName: source.requestedConfiguration) ?? []
        layouts = entities.compactMap(coordinator.layout(for:)).filter { !$0.entity.isAbstract }
        // Only a confined context works on the thread that holds the lock.
        context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Copies objects and metadata. Replaces the previous contents of an atomic store.
    func run() throws { try coordinator.performingRequest(for: context, copy) }

    private func copy() throws {
        var changes = try deletions()
        let originals = try layouts.map { try ids(in: source, $0) }
        let copies = makeCopies(originals)
        if source.engine.traits.contains(.remote) {
            for group in originals { try fill(group, copies) }
        } else {
            for id in originals.joined() {
                guard let copy = copies[id] else { continue }
                try fill(copy, from: id, row: source.engine.row(for: id, copy.layout), copies: copies) {
                    try source.engine.members(of: id, at: $0, copy.layout)
                }
            }
        }
        // In the order of the original: the keys of the copy depend on it.
        let objects = originals.joined().compactMap { copies[$0] }
        for (object, id) in zip(objects, try newIDs(for: objects)) { context.setID(id, of: object) }
        changes += try objects.compactMap { try $0.unsavedChange() }
        copyMetadata()
        let save = StoreSave(changes: changes, computeDerivedValues: changes.computeDerivedValues)
        _ = try destination.engine.prepare(save).commit()
    }

    private func newIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try destination.engine.permanentIDs(for: objects.map { NewObject($0.layout, $0) })
    }

    private func ids(in store: NSPersistentStore, _ layout: EntityLayout) throws -> [NSManagedObjectID] {
        var request = FetchSettings()
        request.entity = layout.entity
        request.includesSubentities = false
        let search = FetchSearch(settings: request, layout: layout, layouts: [layout])
        return try store.engine.fetch(search, ahead: nil).ids().sorted { $0.creationOrder < $1.creationOrder }
    }

    /// Returns the deletions of the destination's existing objects, if the copy replaces them.
    private func deletions() throws -> [ObjectChange] {
        guard destination.engine.traits.contains(.copyReplacesContents) else { return [] }
        return try layouts.flatMap { layout in
            try ids(in: destination, layout).compactMap { id in
                guard let row = try destination.engine.row(for: id, layout) else { return nil }
                return ObjectChange(
                    kind: .delete, object: context.object(with: id), id: id, layout: layout, row: row,
                    base: row)
            }
        }
    }

    private func makeCopies(_ originals: [[NSManagedObjectID]]) -> [NSManagedObjectID: NSManagedObject] {
        var copies: [NSManagedObjectID: NSManagedObject] = [:]
        for id in originals.joined() {
            let copy = NSManagedObject(entity: id.layout.entity, insertInto: nil)
            context.insertNew(copy, awakes: false)
            copies[id] = copy
        }
        return copies
    }

    /// Sets the values of the copies of an entity's objects, with few requests to the store.
    private func fill(_ ids: [NSManagedObjectID], _ copies: [NSManagedObjectID: NSManagedObject]) throws {
        guard let layout = ids.first?.layout else { return }
        var members: [Int: [[NSManagedObjectID]]] = [:]
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            var lists = [[NSManagedObjectID]](repeating: [], count: ids.count)
            let storeIdentity = source.storeIdentity
            try source.engine.forEachMember(of: ids, at: index, layout) { owner, key, layout, _ in
                lists[owner].append(NSManagedObjectID(key: key, layout: layout, storeIdentity: storeIdentity))
            }
            members[index] = lists
        }
        let rows = try source.engine.rows(for: ids)
        for (number, id) in ids.enumerated() {
            guard let copy = copies[id] else { continue }
            try fill(copy, from: id, row: rows[number], copies: copies) { members[$0]?[number] ?? [] }
        }
    }

    /// Sets the values of a copy to the original's. Relationships refer to the copies; references to missing objects
    /// are dropped.
    ///
    /// - Parameter members: Returns the members of a to-many relationship.
    private func fill(
        _ copy: NSManagedObject, from id: NSManagedObjectID, row: Row?,
        copies: [NSManagedObjectID: NSManagedObject], members: (Int) throws -> [NSManagedObjectID]
    ) throws {
        let layout = copy.layout
        guard let row else { return }
        let slots = copy.writableSlots()
        for index in layout.rowSlots {
            if case .reference(let other) = row[index] {
                slots[index] = copies[other].map { .managed($0) } ?? .null
            } else {
                slots[index] = try row[index].readable(layout.slots[index].name, of: id)
            }
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            let members = try members(index).compactMap { copies[$0] }
            let isOrdered = layout.slots[index].kind == .toMany(isOrdered: true)
            slots[index] = .many(ToManyStorage(isOrdered: isOrdered, members))
        }
    }

    /// Copies the app's metadata. The type and the UUID are those of the new store.
    private func copyMetadata() {
        var metadata = source.metadata ?? [:]
        metadata[NSStoreTypeKey] = destination.type
        metadata[NSStoreUUIDKey] = destination.identifier
        destination.metadata = metadata
    }
}
