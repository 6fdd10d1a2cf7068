/// The IDs of the objects that a save has changed, for other contexts.
package struct SavedIDs: @unchecked Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []

    package init(
        inserted: [NSManagedObjectID] = [], updated: [NSManagedObjectID] = [], deleted: [NSManagedObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
