internal import CoreData
internal import Foundation

/// What other contexts of the container have saved since this context last looked.
final class SaveInbox: @unchecked Sendable {
    struct Erasure {
        /// The names of the root entities whose objects were deleted; nil for all.
        let entities: Set<String>?
    }

    struct Save {
        var inserted: [NSManagedObjectID]
        var updated: [NSManagedObjectID]
        var deleted: [NSManagedObjectID]
        /// The deletion of all objects.
        var erasure: Erasure?
        var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    private let lock = NSLock()
    private var saves: [Save] = []

    func add(_ save: Save) { lock.withLock { saves.append(save) } }

    func take() -> [Save] {
        lock.withLock {
            defer { saves = [] }
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
        let registered = (save.updated + save.deleted).compactMap { managed.registeredObject(for: $0) }
        announcing(registered) {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    NSInsertedObjectsKey: save.inserted, NSUpdatedObjectsKey: save.updated,
                    NSDeletedObjectsKey: save.deleted,
                ], into: [managed])
        }
    }
}
