public import Foundation

/// The changes that a store writes, all or none of them.
///
/// ```swift
/// func changes(of request: NSSaveChangesRequest) -> Set<NSManagedObject> {
///     (request.insertedObjects ?? []).union(request.updatedObjects ?? [])
/// }
/// ```
///
/// The objects belong to the saving context; read them on its queue, while the store executes the request. All collections are
/// nil if no object changed but the store's metadata must be written.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    private let inserted: Set<NSManagedObject>?
    private let updated: Set<NSManagedObject>?
    private let deleted: Set<NSManagedObject>?
    private let locked: Set<NSManagedObject>?

    /// Creates a request to save changes.
    ///
    /// - Parameters:
    ///   - insertedObjects: new objects.
    ///   - updatedObjects: objects with new values.
    ///   - deletedObjects: objects that are to be removed.
    ///   - lockedObjects: objects without changes that are checked for conflicts.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        inserted = insertedObjects
        updated = updatedObjects
        deleted = deletedObjects
        locked = lockedObjects
        super.init()
    }

    /// The new objects. They have the IDs that the store gave them.
    open var insertedObjects: Set<NSManagedObject>? { inserted }

    /// The objects with new values: `changedValues()` says which.
    open var updatedObjects: Set<NSManagedObject>? { updated }

    /// The objects that are to be removed.
    open var deletedObjects: Set<NSManagedObject>? { deleted }

    /// The objects that `detectConflicts(for:)` was called for and that have no changes: a save fails if somebody else has
    /// changed them. A store may ignore them; versions of nodes are compared first.
    open var lockedObjects: Set<NSManagedObject>? { locked }

    /// `saveRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// Returns a request for the same changes.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(inserted: inserted, updated: updated, deleted: deleted, locked: locked)
        copy.affectedStores = affectedStores
        return copy
    }
}
