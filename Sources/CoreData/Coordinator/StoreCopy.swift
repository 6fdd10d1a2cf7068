internal import Foundation

/// Copies all objects of a store into another, without hooks of objects, validation or notifications. Used under the
/// coordinator's lock.
struct StoreCopy {
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
        // The one kind that works on the thread that holds the lock.
        context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Copies objects and metadata. What an atomic store held before is replaced.
    func run() throws { try coordinator.asking(for: context, copy) }

    private func copy() throws {
        var changes = try deletions()
        let copies = try makeCopies()
        for (id, copy) in copies { try fill(copy, from: id, copies) }
        let objects = Array(copies.values)
        for (object, id) in zip(objects, try destination.newIDs(for: objects)) { context.setID(id, of: object) }
        changes += try objects.compactMap { try context.change(of: $0) }
        copyMetadata()
        _ = try destination.save(StoreSave(changes: changes))
    }

    private func ids(in store: NSPersistentStore, _ layout: EntityLayout) throws -> [NSManagedObjectID] {
        var request = FetchSettings()
        request.entity = layout.entity
        request.includesSubentities = false
        return try store.fetch(FetchSearch(request, layout, [layout])).ids()
    }

    /// The objects that are in the way.
    private func deletions() throws -> [ObjectChange] {
        guard destination.copyReplacesContents else { return [] }
        return try layouts.flatMap { layout in
            try ids(in: destination, layout).compactMap { id in
                guard let row = try destination.row(for: id, layout) else { return nil }
                return ObjectChange(
                    kind: .delete, object: context.object(with: id), id: id, layout: layout, row: row,
                    oldVersion: row.version)
            }
        }
    }

    private func makeCopies() throws -> [NSManagedObjectID: NSManagedObject] {
        var copies: [NSManagedObjectID: NSManagedObject] = [:]
        for layout in layouts {
            for id in try ids(in: source, layout) {
                copies[id] = NSManagedObject(entity: layout.entity, insertInto: context)
            }
        }
        return copies
    }

    /// Gives a copy the values of the original. Relationships lead to copies; those to objects that are gone, nowhere.
    private func fill(
        _ copy: NSManagedObject, from id: NSManagedObjectID, _ copies: [NSManagedObjectID: NSManagedObject]
    ) throws {
        let layout = copy.layout
        guard let row = try source.row(for: id, layout) else { return }
        let slots = copy.ownSlots()
        for index in layout.rowSlots {
            if case .reference(let other) = row[index] {
                slots[index] = copies[other].map { .managed($0) } ?? .null
            } else {
                slots[index] = row[index]
            }
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            let members = try source.members(of: id, at: index, layout).compactMap { copies[$0] }
            let isOrdered = layout.slots[index].kind == .toMany(isOrdered: true)
            slots[index] = .many(ToManyStorage(isOrdered: isOrdered, members))
        }
    }

    /// The app's own metadata; type and UUID are the new store's.
    private func copyMetadata() {
        var metadata = source.metadata ?? [:]
        metadata[NSStoreTypeKey] = destination.type
        metadata[NSStoreUUIDKey] = destination.identifier
        destination.metadata = metadata
    }
}
