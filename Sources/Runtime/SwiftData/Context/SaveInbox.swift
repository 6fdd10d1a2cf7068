internal import CoreData
internal import Foundation

/// What other contexts of the container have saved since this context last looked.
final class SaveInbox: @unchecked Sendable {
    struct Erasure {
        /// The names of the root entities whose objects were deleted; `nil` for all.
        let entities: Set<String>?
    }

    struct Save {
        var inserted: [NSManagedObjectID]
        var updated: [NSManagedObjectID]
        var deleted: [NSManagedObjectID]
        /// The deletion of all objects.
        var erasure: Erasure?
        /// Whether the save stands for more changes than an inbox keeps: any object may have changed or be deleted.
        var isOverflow = false
        var isEmpty: Bool { count == 0 }
        var count: Int { inserted.count + updated.count + deleted.count }
    }

    /// The number of changes that are kept for a context that does not look for them.
    static let capacity = 10_000

    private let lock = NSLock()
    private var saves: [Save] = []
    private(set) var count = 0

    func add(_ save: Save) {
        lock.withLock {
            // An erasure has no IDs.
            count += max(save.count, 1)
            if count <= Self.capacity { return saves.append(save) }
            saves = [Save(inserted: [], updated: [], deleted: [], isOverflow: true)]
            count = 1
        }
    }

    func take() -> [Save] {
        lock.withLock {
            defer { (saves, count) = ([], 0) }
            return saves
        }
    }
}

extension ModelContext {
    /// Refreshes the objects that other contexts have saved. Their unsaved changes in this context are kept.
    func receiveSaves() {
        for save in inbox.take() { merge(save) }
    }

    /// Refreshes the objects of a save.
    func merge(_ save: SaveInbox.Save) {
        var save = save
        if let erasure = save.erasure {
            for id in managed.registeredObjects.map(\.currentID) where !id.isTemporaryID {
                // What is left may have referred to deleted models.
                if erasure.entities?.contains(id.entity.rootName) ?? true {
                    save.deleted.append(id)
                } else {
                    save.updated.append(id)
                }
            }
        }
        if save.isOverflow { (save.updated, save.deleted) = registeredObjectsInStores() }
        let registered = (save.updated + save.deleted).compactMap { managed.registeredObject(for: $0) }
        announcing(registered) {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    NSInsertedObjectsKey: save.inserted, NSUpdatedObjectsKey: save.updated,
                    NSDeletedObjectsKey: save.deleted,
                ], into: [managed])
        }
    }

    /// Returns the IDs of the saved objects that are in memory: those whose rows exist, and the others.
    private func registeredObjectsInStores() -> (existing: [NSManagedObjectID], deleted: [NSManagedObjectID]) {
        let known = managed.registeredObjects.map(\.currentID).filter { !$0.isTemporaryID }
        var deleted: [NSManagedObjectID] = []
        for (name, ids) in Dictionary(grouping: known, by: \.entity.rootName) {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
            request.resultType = .managedObjectIDResultType
            request.includesPendingChanges = false
            request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids as NSArray])
            // If the store cannot be read, its objects are read again when they are used, which tells the error.
            guard let found = try? managed.fetch(request) else { continue }
            let existing = Set(found)
            deleted += ids.filter { !existing.contains($0) }
        }
        let gone = Set(deleted)
        return (known.filter { !gone.contains($0) }, deleted)
    }
}
