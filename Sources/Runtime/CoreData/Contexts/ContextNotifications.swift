public import Foundation

/// The key of new objects in notifications: a set of objects.
public let NSInsertedObjectsKey = "inserted"
/// The key of changed objects in notifications: a set of objects.
public let NSUpdatedObjectsKey = "updated"
/// The key of deleted objects in notifications: a set of objects.
public let NSDeletedObjectsKey = "deleted"
/// The key of refreshed objects in notifications: a set of objects.
public let NSRefreshedObjectsKey = "refreshed"
/// The key of invalidated objects in notifications: a set of objects.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key of the IDs of all objects in the notification of a reset: an array.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key of the IDs of new objects: a set of IDs.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The key of the IDs of changed objects: a set of IDs.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The key of the IDs of deleted objects: a set of IDs.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The key of the IDs of refreshed objects: a set of IDs.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The key of the IDs of invalidated objects: a set of IDs.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// The key of added stores in a coordinator's notifications: an array.
public let NSAddedPersistentStoresKey = "added"
/// The key of removed stores in a coordinator's notifications: an array.
public let NSRemovedPersistentStoresKey = "removed"
/// The key of stores whose UUIDs have changed, in a coordinator's notifications: an array of the old store, the new one
/// and, after a migration, an array of the new IDs. Never present: a migrated store is reported as removed and added.
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStoresKey"

extension Notification.Name {
    /// Objects of a context have changed; posted when changes are processed.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// A context is about to save.
    public static let NSManagedObjectContextWillSave = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// A context has saved.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// A context has saved; reports object IDs.
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// A context has merged changes that were saved elsewhere; reports object IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
    /// The stores of a coordinator have changed.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// The stores of a coordinator are about to change.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// iCloud has delivered changes. Never posted: iCloud is unavailable on Linux.
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name(
        "NSPersistentStoreDidImportUbiquitousContentChangesNotification")
    /// A store is about to be removed. The notification's object is the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

extension NSManagedObjectContext {
    /// The name of the notification that precedes a save.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// The name of the notification that follows a save.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// The name of the notification that a context's objects have changed.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// The name of the notification that follows a save and reports object IDs.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// The name of the notification that reports the IDs of merged objects.
    public static let didMergeChangesObjectIDsNotification = Notification.Name
        .NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys in the `userInfo` of a context's notifications.
    ///
    /// ```swift
    /// NotificationCenter.default.addObserver(
    ///     forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
    /// ) { notification in
    ///     let key = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
    ///     let inserted = notification.userInfo?[key] as? Set<NSManagedObjectID> ?? []
    ///     print("\(inserted.count) objects inserted")
    /// }
    /// ```
    public enum NotificationKey: String, Sendable {
        /// The context.
        case sourceContext = "managedObjectContext"
        /// The query generation.
        case queryGeneration = "newQueryGeneration"
        /// All objects' IDs, after a reset.
        case invalidatedAllObjects = "invalidatedAll"
        /// New objects.
        case insertedObjects = "inserted"
        /// Changed objects.
        case updatedObjects = "updated"
        /// Deleted objects.
        case deletedObjects = "deleted"
        /// Refreshed objects.
        case refreshedObjects = "refreshed"
        /// Invalidated objects.
        case invalidatedObjects = "invalidated"
        /// The IDs of new objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of changed objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of refreshed objects.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of invalidated objects.
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }

    /// The key of the history token after a save, in the save's notification: an `NSPersistentHistoryToken`. Absent if
    /// no store tracks its history.
    private static let changeTokenKey = "newChangeToken"

    /// Posts the notifications that follow a save.
    final func postDidSave(_ saved: SavedObjects) {
        var userInfo: [String: Any] = [
            NSInsertedObjectsKey: pending.announced.inserted.savedSet(of: saved.inserted),
            NSUpdatedObjectsKey: pending.announced.updated.savedSet(of: saved.updated),
            NSDeletedObjectsKey: pending.announced.deleted.savedSet(of: saved.deleted),
        ]
        pending.announced = PendingChanges.Announced()
        let ids = saved.ids
        // A save without objects needs no lookup in the history, and no merge.
        let hasSaved = !(ids.inserted.isEmpty && ids.updated.isEmpty && ids.deleted.isEmpty)
        if hasSaved, let token = rootCoordinator?.historyToken(of: nil, isAfterSave: true) {
            userInfo[Self.changeTokenKey] = token
        }
        if let token = reading.token { userInfo[NSManagedObjectContextQueryGenerationKey] = token }
        if hasSaved { saveHandler?(ids) }
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: userInfo)
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: ids.userInfo)
        guard hasSaved else { return }
        rootCoordinator?.didSave(ids, by: self)
        for child in childContexts { child.parentDidSave(ids, source: self) }
        for sibling in parent?.childContexts ?? [] where sibling !== self { sibling.parentDidSave(ids, source: self) }
    }

    /// Merges a save of another context to the same coordinator or parent, if this context does so automatically.
    ///
    /// - Parameters:
    ///   - ids: What was saved.
    ///   - source: The context that saved; `nil` for a store's own changes.
    final func parentDidSave(_ ids: SavedIDs, source: NSManagedObjectContext? = nil) {
        guard automaticallyMergesChangesFromParent else { return }
        executor.async { [weak self] in
            self?.merging.merge(ids, savedBy: source)
        }
    }

    /// Merges changes that another process or a batch request has saved into several contexts.
    ///
    /// - Parameters:
    ///   - changeNotificationData: Arrays of object IDs, or of their URIs, under the keys of save notifications.
    ///   - contexts: The contexts to merge the changes into.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            context.performAndWait { context.merging.merge(SavedIDs(changeNotificationData, context), savedBy: nil) }
        }
    }
}

extension SavedIDs {
    /// The `userInfo` of a notification that reports the IDs.
    var userInfo: [String: Any] {
        [
            NSInsertedObjectIDsKey: Set(distinct: inserted), NSUpdatedObjectIDsKey: Set(distinct: updated),
            NSDeletedObjectIDsKey: Set(distinct: deleted),
        ]
    }

    /// Reads the IDs from a save's notification.
    init(_ notification: Notification) {
        self.init(notification.userInfo ?? [:], nil)
    }

    /// Reads the IDs from a dictionary of objects, IDs or URIs.
    init(_ userInfo: [AnyHashable: Any], _ context: NSManagedObjectContext?) {
        func ids(_ keys: [String]) -> [NSManagedObjectID] {
            keys.flatMap { key -> [Any] in
                switch userInfo[key] {
                case let set as Set<AnyHashable>: set.map(\.base)
                case let array as [Any]: array
                case let set as NSSet: set.allObjects
                default: []
                }
            }.compactMap { value in
                switch value {
                case let object as NSManagedObject: object.objectID
                case let id as NSManagedObjectID: id
                case let url as URL: context?.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
                default: nil
                }
            }
        }
        inserted = ids([NSInsertedObjectsKey, NSInsertedObjectIDsKey])
        updated = ids([
            NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, "refreshed_objectIDs",
            NSInvalidatedObjectsKey, "invalidated_objectIDs",
        ])
        deleted = ids([NSDeletedObjectsKey, NSDeletedObjectIDsKey])
    }
}
