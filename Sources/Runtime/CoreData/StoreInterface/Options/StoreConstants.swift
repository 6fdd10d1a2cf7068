internal import Foundation

/// The type of stores in SQLite files.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores in XML files, in Apple's format.
public let NSXMLStoreType = "XML"
/// The type of stores in binary files, in this project's own format: files of Apple's framework cannot be read.
public let NSBinaryStoreType = "Binary"
/// The type of in-memory stores.
public let NSInMemoryStoreType = "InMemory"

/// An option: whether a store is read-only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// An option: whether a store of an older version of the model is migrated when it is added.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// An option: whether a mapping model is inferred if none is found.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// An option: whether the cleanup after a lightweight migration is deferred to
/// `NSPersistentStoreCoordinator.finishDeferredLightweightMigration()`. The metadata of a store whose cleanup is
/// pending have the same key.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// An option of this project: the location to which a SQLite store is copied before a migration that removes a table or
/// a column.
///
/// The value is the URL of a file that does not exist yet, or `true` for a file next to the store.
public let NSPersistentStoreMigrationBackupOption = "NSPersistentStoreMigrationBackupOption"
/// An option: SQLite pragmas, as a dictionary.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// An option of this project: whether the write-ahead log of a SQLite store and its index, the files `-wal` and `-shm`,
/// are removed when the last connection is closed. By default they stay, as with Apple's framework, and the log is
/// empty.
public let NSSQLiteRemovesLogOption = "NSSQLiteRemovesLogOption"
/// An option: whether SQLite collects statistics when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// An option: whether SQLite defragments the file when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// An option: the time, in seconds, for which a store waits for other connections to release their locks. The default
/// is 5.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// An option: whether to skip the comparison of a store's version hashes with the model.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// An option: whether a store keeps its history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// An option: whether notifications are posted for changes by other coordinators.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
