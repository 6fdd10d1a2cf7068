internal import Foundation

/// The type of stores in SQLite files.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores in XML files, in Apple's format.
public let NSXMLStoreType = "XML"
/// The type of stores in binary files, in a format of this project: files of Apple's framework cannot be read.
public let NSBinaryStoreType = "Binary"
/// The type of stores in memory.
public let NSInMemoryStoreType = "InMemory"

/// An option: whether nothing can be saved.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// An option: whether a store of an older version of the model is migrated when it is added.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// An option: whether a mapping model is inferred if none is found.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// An option: whether the clean-up after a lightweight migration is left to
/// `NSPersistentStoreCoordinator.finishDeferredLightweightMigration()`. The metadata of a store whose clean-up is due have the same key.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// An option of this project: where a SQLite store is copied to before a migration that removes a table or a column.
///
/// The value is the URL of a file that does not exist yet, or `true` for a file beside the store.
public let NSPersistentStoreMigrationBackupOption = "NSPersistentStoreMigrationBackupOption"
/// An option: pragmas for SQLite, a dictionary.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// An option: whether SQLite collects statistics when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// An option: whether SQLite defragments the file when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// An option: how long a store waits for other connections to release their locks, in seconds. The default is 5.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// An option: whether the version hashes of a store are not compared with the model.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// An option: whether a store keeps its history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// An option: whether changes by other coordinators are told by notifications.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"

extension NSPersistentStore {
    /// The type of a store, with shorter names.
    ///
    /// ```swift
    /// try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    /// ```
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a type of its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stores in SQLite files.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Stores in XML files; see `NSXMLStoreType`.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// Stores in binary files; see `NSBinaryStoreType`.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Stores in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}
