public import Foundation

#if canImport(CloudKit)
public import CloudKit
#else
/// The namespace of `CKDatabase.Scope`, where the CloudKit framework does not exist.
public enum CKDatabase {
    /// Which database of a CloudKit container is meant, with the values of CloudKit.
    public enum Scope: Int, Sendable {
        /// The database that all users share.
        case `public` = 1
        /// The user's own database.
        case `private` = 2
        /// What other users share with the user.
        case shared = 3
    }
}
#endif

/// Which database of which CloudKit container mirrors a store. Kept without an effect: stores are not synchronized here.
nonisolated open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the CloudKit container.
    public let containerIdentifier: String
    /// The database. `.private` unless set.
    open var databaseScope = CKDatabase.Scope.private

    /// Creates options for a CloudKit container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}
