public import Foundation

#if canImport(CloudKit)
public import CloudKit
#else
/// The namespace of `CKDatabase.Scope` on platforms without the CloudKit framework.
///
/// ```swift
/// let scope = CKDatabase.Scope.private
/// ```
public enum CKDatabase {
    /// The database of a CloudKit container. Raw values equal CloudKit's.
    ///
    /// ```swift
    /// let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.books")
    /// options.databaseScope = .private
    /// ```
    public enum Scope: Int, Sendable {
        /// The public database, which all users share.
        case `public` = 1
        /// The user's private database.
        case `private` = 2
        /// The database of records that other users share with the user.
        case shared = 3
    }
}
#endif

/// The CloudKit container and database that mirror a store. Stored without effect: stores are not synchronized.
///
/// ```swift
/// let description = container.persistentStoreDescriptions.first
/// description?.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
///     containerIdentifier: "iCloud.com.example.books")
/// ```
nonisolated open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the CloudKit container.
    public let containerIdentifier: String
    /// The database. The default is `.private`.
    open var databaseScope = CKDatabase.Scope.private

    /// Creates options for a CloudKit container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}
