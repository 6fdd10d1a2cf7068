public import Foundation

extension Notification.Name {
    /// A store was written to: by this coordinator, another one, or another process. Posted for stores with the option
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`; the object is the coordinator.
    ///
    /// Posted on a background thread, after the write. The `userInfo` contains `NSStoreUUIDKey`,
    /// `NSPersistentStoreURLKey` and, if the store keeps a history, `NSPersistentHistoryTokenKey`.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The name of the notification that a store was written to.
public let NSPersistentStoreRemoteChangeNotification = Notification.Name.NSPersistentStoreRemoteChange
/// The key of the `NSPersistentHistoryToken` after a change, in a remote change notification.
public let NSPersistentHistoryTokenKey = "historyToken"
/// The key of the store's URL in a remote change notification.
public let NSPersistentStoreURLKey = "storeURL"
