internal import RuntimeSupport

/// The objects of a save, by the kind of their change.
struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []

    /// Adds objects by the kind of their change. Skips unchanged objects.
    mutating func classify(_ objects: [NSManagedObject]) {
        if objects.allSatisfyUncounted({ $0.flags.contains(.inserted) && !$0.flags.contains(.deleted) }) {
            inserted = objects
            return
        }
        objects.forEachUncounted { object in
            if object.isMarkedDeleted {
                deleted.append(object)
            } else if object.isMarkedInserted {
                inserted.append(object)
            } else if object.flags.contains(.updated) {
                updated.append(object)
            }
        }
    }

    var ids: SavedIDs {
        func ids(_ objects: [NSManagedObject]) -> [NSManagedObjectID] {
            var ids: [NSManagedObjectID] = []
            ids.reserveCapacity(objects.count)
            objects.forEachUncounted { ids.append($0.directID) }
            return ids
        }
        return SavedIDs(inserted: ids(inserted), updated: ids(updated), deleted: ids(deleted))
    }
}
