/// The IDs of the objects that a save has changed, for other contexts.
package struct SavedIDs: @unchecked Sendable {
    package var inserted: [NSManagedObjectID] = []
    package var updated: [NSManagedObjectID] = []
    package var deleted: [NSManagedObjectID] = []

    package init(
        inserted: [NSManagedObjectID] = [], updated: [NSManagedObjectID] = [], deleted: [NSManagedObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
