public import Foundation

/// The changes that a store writes atomically.
///
/// ```swift
/// func changes(of request: NSSaveChangesRequest) -> Set<NSManagedObject> {
///     (request.insertedObjects ?? []).union(request.updatedObjects ?? [])
/// }
/// ```
///
/// The objects belong to the saving context; read them on its queue, while the store executes the request. All
/// collections are `nil` if no object changed but the store's metadata must be written.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    private let inserted: Set<NSManagedObject>?
    private let updated: Set<NSManagedObject>?
    private let deleted: Set<NSManagedObject>?
    private let locked: Set<NSManagedObject>?

    /// Creates a request to save changes.
    ///
    /// - Parameters:
    ///   - insertedObjects: New objects.
    ///   - updatedObjects: Objects with new values.
    ///   - deletedObjects: Objects to remove.
    ///   - lockedObjects: Objects without changes that are checked for conflicts.
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

    /// The new objects, with the IDs that the store has assigned.
    open var insertedObjects: Set<NSManagedObject>? { inserted }

    /// The objects with new values, which `changedValues()` returns.
    open var updatedObjects: Set<NSManagedObject>? { updated }

    /// The objects to remove.
    open var deletedObjects: Set<NSManagedObject>? { deleted }

    /// The unchanged objects for which `detectConflicts(for:)` was called: the save fails if they were changed
    /// elsewhere. A store may ignore them, because versions of nodes are compared beforehand.
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
