// Options and keys of Apple's framework with reduced effect here; see DEVIATIONS.md.

/// An option: whether the metadata of a new store list the systems that can open it. Stored without effect.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// A key of a store's metadata: the version of the algorithm behind its version hashes.
public let NSStoreModelVersionHashesVersionKey = "NSStoreModelVersionHashesVersion"
/// An option: the maximum number of connections that a coordinator opens to a SQLite file. Stored without effect: there
/// is one for the newest state, and one for each pinned query generation.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// An option: whether `destroyPersistentStore` also destroys a store that is open elsewhere. Stored without effect: it
/// always does.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// An option: the file protection of a store. Stored without effect: Linux has no file protection.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// An option of binary stores: additional classes that may be decoded from the file.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// An option of binary stores: whether the file is decoded without checking classes.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// An option of XML stores: whether the file is validated.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

// iCloud's Core Data sync, which Apple has deprecated. A store that is added with one of these options is a local
// store.

/// An option: the name of a store in iCloud. Ignored, which is reported on the standard error stream.
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// An option: the location of a store's changes in iCloud. Ignored.
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// An option: the iCloud container of a store. Ignored.
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// An option: a token that distinguishes the copies of a store on a device. Ignored.
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// An option: whether iCloud's metadata is removed from a store. Ignored.
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// An option: whether a store is rebuilt from iCloud. Ignored.
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// A key of notifications: the reason why stores change. Never present.
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

/// The reason why the stores of a coordinator change with the user's iCloud account. Deprecated by Apple; no
/// notification on Linux has it.
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
    /// The account was added.
    case accountAdded = 1
    /// The account was removed.
    case accountRemoved = 2
    /// The content of the account was removed.
    case contentRemoved = 3
    /// The first import has ended.
    case initialImportCompleted = 4
}
