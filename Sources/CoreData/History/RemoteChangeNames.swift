public import Foundation

extension Notification.Name {
    /// Something was written to the file of a store: by this coordinator, another one, or another process. Posted for stores
    /// with the option `NSPersistentStoreRemoteChangeNotificationPostOptionKey`; the object is the coordinator.
    ///
    /// It is posted on a background thread, after the write. In `userInfo` are `NSStoreUUIDKey`, `NSPersistentStoreURLKey` and, of a
    /// store that keeps a history, `NSPersistentHistoryTokenKey`.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The name of the notification that something was written to the file of a store.
public let NSPersistentStoreRemoteChangeNotification = Notification.Name.NSPersistentStoreRemoteChange
/// The key of the `NSPersistentHistoryToken` behind a change, in the notification of the change.
public let NSPersistentHistoryTokenKey = "historyToken"
/// The key of the URL of a store in the notification of a change.
public let NSPersistentStoreURLKey = "storeURL"
