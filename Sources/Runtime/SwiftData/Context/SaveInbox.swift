internal import CoreData
internal import Foundation

/// What other contexts of the container have saved since this context last looked.
final class SaveInbox: @unchecked Sendable {
    /// The objects of some entities, or all.
    struct Entities {
        /// The names of the root entities; `nil` for all.
        let roots: Set<String>?

        func contains(_ id: NSManagedObjectID) -> Bool { roots?.contains(id.entity.rootName) ?? true }
    }

    struct Save {
        var inserted: [NSManagedObjectID]
        var updated: [NSManagedObjectID]
        var deleted: [NSManagedObjectID]
        /// The entities whose objects were all deleted.
        var erased: Entities?
        /// The entities any of whose objects may have changed or be deleted, beyond those that are listed.
        var unlisted: Entities?
        var isEmpty: Bool { count == 0 }
        var count: Int { inserted.count + updated.count + deleted.count }
    }

    /// The number of changes that are kept for a context that does not look for them.
    static let capacity = 10_000

    private let lock = NSLock()
    private var saves: [Save] = []
    private(set) var count = 0
    private var arrivalHandler: (@Sendable () -> Void)?

    func add(_ save: Save) {
        let handler = lock.withLock {
            // An erasure has no IDs.
            count += max(save.count, 1)
            if count <= Self.capacity {
                saves.append(save)
            } else {
                saves = [Save(inserted: [], updated: [], deleted: [], unlisted: Entities(roots: nil))]
                count = 1
            }
            return arrivalHandler
        }
        handler?()
    }

    /// Calls a block after each save, on the thread that saved.
    func notify(_ handler: @escaping @Sendable () -> Void) { lock.withLock { arrivalHandler = handler } }

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
        var saves = inbox.take()
        let unlisted = saves.compactMap(\.unlisted)
        if unlisted.count > 1 {
            // One search for all of them: only the state of the stores now matters.
            for index in saves.indices { saves[index].unlisted = nil }
            let all = unlisted.contains { $0.roots == nil }
            let entities = SaveInbox.Entities(roots: all ? nil : Set(unlisted.flatMap { $0.roots ?? [] }))
            saves.append(SaveInbox.Save(inserted: [], updated: [], deleted: [], unlisted: entities))
        }
        for save in saves { merge(save) }
    }

    /// Refreshes the objects of a save.
    func merge(_ save: SaveInbox.Save) {
        var save = save
        if let erased = save.erased {
            for id in managed.registeredObjects.map(\.currentID) where !id.isTemporaryID {
                // What is left may have referred to deleted models.
                if erased.contains(id) {
                    save.deleted.append(id)
                } else {
                    save.updated.append(id)
                }
            }
        }
        if let unlisted = save.unlisted {
            let (existing, deleted) = registeredObjectsInStores(unlisted)
            let listed = Set(save.updated + save.deleted)
            save.updated += existing.filter { !listed.contains($0) }
            save.deleted += deleted.filter { !listed.contains($0) }
        }
        // Relationships without an inverse may still lead to the deleted models.
        if !save.deleted.isEmpty { hasDeletions = true }
        let registered = (save.updated + save.deleted).compactMap { managed.registeredObject(for: $0) }
        announcing(registered) {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    NSInsertedObjectsKey: save.inserted, NSUpdatedObjectsKey: save.updated,
                    NSDeletedObjectsKey: save.deleted,
                ], into: [managed])
        }
    }

    /// Returns the IDs of the saved objects of some entities that are in memory: those whose rows exist, and the
    /// others.
    private func registeredObjectsInStores(
        _ entities: SaveInbox.Entities
    ) -> (existing: [NSManagedObjectID], deleted: [NSManagedObjectID]) {
        let registeredIDs = managed.registeredObjects.map(\.currentID).filter {
            !$0.isTemporaryID && entities.contains($0)
        }
        var deleted: [NSManagedObjectID] = []
        for (name, ids) in Dictionary(grouping: registeredIDs, by: \.entity.rootName) {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
            request.resultType = .managedObjectIDResultType
            request.includesPendingChanges = false
            request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids as NSArray])
            // An unreadable store reports its error when its objects are next read.
            guard let found = try? managed.fetch(request) else { continue }
            let existing = Set(found)
            deleted += ids.filter { !existing.contains($0) }
        }
        let gone = Set(deleted)
        return (registeredIDs.filter { !gone.contains($0) }, deleted)
    }
}
