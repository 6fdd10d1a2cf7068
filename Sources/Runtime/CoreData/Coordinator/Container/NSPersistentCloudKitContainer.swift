public import Foundation
internal import RuntimeSupport

/// A container whose stores are mirrored to iCloud on Apple's platforms, and stay local here.
///
/// Code written for `NSPersistentCloudKitContainer` compiles and runs; nothing is sent to or received from CloudKit, no
/// event notifications are posted, and loading the stores reports this once on the standard error stream.
///
/// ```swift
/// let container = NSPersistentCloudKitContainer(name: "Library")
/// container.loadPersistentStores { _, error in
///     if let error { fatalError("\(error)") }
/// }
/// ```
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// The notification that an event has begun or ended. Never posted here.
    public class var eventChangedNotification: NSNotification.Name {
        NSNotification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// The key of the `Event` in the user info of `eventChangedNotification`.
    public class var eventNotificationUserInfoKey: String { "event" }

    /// Loads the stores as local ones. The first call logs that they are not synchronized.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        _ = Self.warning
        super.loadPersistentStores(completionHandler: block)
    }

    /// Logged on first access, and so once per process.
    private static let warning: Void = Log.error(
        "NSPersistentCloudKitContainer: CloudKit is not available on this platform; the stores are local and are not synchronized"
    )

    /// Throws an error. On Apple's platforms, creates the model's CloudKit schema.
    ///
    /// - Throws: `CocoaError.featureUnsupported`, always: CloudKit is unavailable on Linux.
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        throw CocoaError(
            .featureUnsupported,
            userInfo: [NSDebugDescriptionErrorKey: "CloudKit is not available on this platform"])
    }

    /// Returns whether the object with an ID may be changed. False for read-only stores.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore.map(canModifyManagedObjects(in:)) ?? true
    }

    /// Returns whether the object with an ID may be deleted. False for read-only stores.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore.map(canModifyManagedObjects(in:)) ?? true
    }

    /// Returns whether objects can be added to, changed in and deleted from a store. False for read-only stores.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }
}

/// The options of `initializeCloudKitSchema(options:)`. Raw values equal Apple's.
///
/// ```swift
/// let cloudContainer = NSPersistentCloudKitContainer(name: "Books")
/// try cloudContainer.initializeCloudKitSchema(options: [.dryRun, .printSchema])
/// ```
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits of the option set.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Validates the model without uploading a schema.
    public static let dryRun = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 1 << 1)
    /// Prints the records of the schema.
    public static let printSchema = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 1 << 2)
}
