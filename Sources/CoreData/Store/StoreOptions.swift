// Options and keys of Apple's framework that mean less here than there; DEVIATIONS.md says what.

/// An option: whether the metadata of a new store tell which systems can open it. Kept, and without effect.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// A key of a store's metadata: the version of the algorithm behind its version hashes.
public let NSStoreModelVersionHashesVersionKey = "NSStoreModelVersionHashesVersion"
/// An option: how many connections to a SQLite file a coordinator opens at most. Kept, and without effect: there is one for the newest
/// state, and one for each pinned query generation.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// An option: whether `destroyPersistentStore` also destroys a store that is open elsewhere. Kept, and without effect: it always does.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// An option: the file protection of a store. Kept, and without effect: Linux has no file protection.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// An option of binary stores: further classes that may be decoded from the file.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// An option of binary stores: whether the file is decoded without a check of classes.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// An option of XML stores: whether the file is validated.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

// iCloud's Core Data sync, which Apple has deprecated. A store that is added with one of these options is a local one.

/// An option: the name of a store in iCloud. Ignored, which is said on the standard error stream.
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// An option: where the changes of a store are kept in iCloud. Ignored.
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// An option: the iCloud container of a store. Ignored.
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// An option: tells the copies of a store on a device apart. Ignored.
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// An option: whether iCloud's metadata is removed from a store. Ignored.
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// An option: whether a store is rebuilt from iCloud. Ignored.
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// A key of notifications: why stores change. Never there.
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"
