/// The IDs of the objects that a save has changed, for other contexts.
struct SavedIDs: @unchecked Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
}
