/// An option: the `NSStagedMigrationManager` that migrates the store when it is added.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
