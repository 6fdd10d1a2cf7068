internal import Foundation
internal import RuntimeSupport

/// Permanent IDs, and the stores of new objects.
extension NSPersistentStoreCoordinator {
    /// Returns permanent IDs for new objects, each in the store that it is assigned to, or else the first for its
    /// entity.
    final func newIDs(
        for objects: [NSManagedObject], _ assigned: [ObjectIdentifier: AnyObject]
    ) throws -> [NSManagedObjectID] {
        try lock.withLock {
            if assigned.isEmpty, let store = try commonStore(forNew: objects) {
                try checkWritable([store])
                return try store.engine.permanentIDs(for: objects.map { NewObject($0.layout, $0) })
            }
            var result = [NSManagedObjectID?](repeating: nil, count: objects.count)
            var groups: [ObjectIdentifier: (store: NSPersistentStore, indices: [Int])] = [:]
            var storesByLayout: [ObjectIdentifier: NSPersistentStore] = [:]
            for (index, object) in objects.enumerated() {
                let layout = ObjectIdentifier(object.layout)
                let own = assigned[ObjectIdentifier(object)].map { unsafeDowncast($0, to: NSPersistentStore.self) }
                let assignedStore = own ?? storesByLayout[layout]
                guard let store = assignedStore ?? store(forNew: object.layout) else {
                    throw noStore(for: object.layout)
                }
                if assignedStore == nil { storesByLayout[layout] = store }
                groups[ObjectIdentifier(store), default: (store, [])].indices.append(index)
            }
            try checkWritable(groups.values.map(\.store))
            for (store, indices) in groups.values {
                let new = indices.map { NewObject(objects[$0].layout, objects[$0]) }
                for (index, id) in zip(indices, try store.engine.permanentIDs(for: new)) {
                    result[index] = id
                }
            }
            return result.compactMap { $0 }
        }
    }

    /// Returns the store that all of the new objects belong in, or `nil` if there are several. Nearly always there is
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

    final func noStore(for layout: EntityLayout) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text: persistentStores.isEmpty
                ? "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation."
                : "no store of the coordinator holds objects of the entity “\(layout.name)”")
    }

    /// Throws if one of the stores is read-only.
    final func checkWritable(_ stores: [NSPersistentStore]) throws {
        guard let store = stores.first(where: \.isReadOnly) else { return }
        var userInfo: [String: Any] = [NSAffectedStoresErrorKey: [store]]
        userInfo[NSURLErrorKey] = store.url
        userInfo[NSFilePathErrorKey] = store.url.flatMap { $0.isFileURL ? $0.path : nil }
        throw CoreDataError.error(
            .fileWriteNoPermission, text: "the store at \(store.url?.path ?? "an unknown location") is read-only",
            userInfo: userInfo)
    }
}
