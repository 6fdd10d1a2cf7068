internal import CoreData
internal import Foundation

/// What other contexts of the container have saved since this context last looked.
final class SaveInbox: @unchecked Sendable {
    struct Save {
        var inserted: [NSManagedObjectID]
        var updated: [NSManagedObjectID]
        var deleted: [NSManagedObjectID]
        /// Whether all objects were deleted.
        var isErasure = false
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
        if save.isErasure { save.deleted = managed.registeredObjects.map(\.currentID).filter { !$0.isTemporaryID } }
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
