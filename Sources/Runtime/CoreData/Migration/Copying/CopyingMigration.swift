internal import CSQLite3
internal import Foundation

/// Migrates a store with a mapping model: a manager writes a new store next to the old one, whose content it then
/// replaces.
///
/// The content is replaced in one transaction, or by one rename for stores without a database, so either the old store
/// or the new one exists at any time. Until then, the old store is only read.
struct CopyingMigration {
    /// The suffix that Apple's framework uses.
    private static let suffix = ".migrationdestination_41b5a6b5c6e848c462a8480cd24caef3"

    /// The maximum number of attempts at migrating a store that other processes write to in the meantime.
    private static let attempts = 5

    private let migration: StoreMigration
    private let source: NSManagedObjectModel
    private let mapping: NSMappingModel
    private let manager: NSMigrationManager

    init(_ migration: StoreMigration, from source: NSManagedObjectModel, _ mapping: NSMappingModel) {
        self.migration = migration
        self.source = source
        self.mapping = mapping
        manager = NSMigrationManager(sourceModel: source, destinationModel: migration.request.destination)
    }

    /// Migrates the store, which must not be open in this process. Waits for another process that is migrating it.
    func run() throws {
        try migration.withExclusiveAccess {
            for _ in 0..<Self.attempts {
                guard try isStillNeeded() else { return }
                if try copyAndReplace() { return }
            }
            throw migration.request.failure(
                .migration, reason: "other processes keep writing to the store",
                help: "Close the store in other processes before it is migrated.")
        }
    }

    /// Returns whether the store still needs the migration, which another process may have done.
    private func isStillNeeded() throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: migration.request.storeType, at: migration.request.url, options: migration.request.options)
        return !migration.request.destination.isConfiguration(
            withName: migration.request.configuration, compatibleWithStoreMetadata: metadata)
    }

    /// - Returns: Whether the store was replaced; `false` if another process has written to it after it was read.
    private func copyAndReplace() throws -> Bool {
        func copy(_ old: StoreAddress, to new: StoreAddress) throws {
            try manager.migrate(old, mapping, to: new) { Self.copyMetadata(of: $0, to: $1) }
        }
        if try migration.engine?.replaceContents(of: migration.request, writing: copy) == true { return true }
        let url = migration.request.url.resolvingSymlinksInPath()
        let temporary = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.lastPathComponent)\(Self.suffix)")
        var options = migration.request.options
        // The new store's history would contain every object.
        options[NSPersistentHistoryTrackingKey] = nil
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
        let old = StoreAddress(
            url: url, type: migration.request.storeType, options: migration.request.options,
            configuration: migration.request.configuration)
        let new = StoreAddress(
            url: temporary, type: migration.request.storeType, options: options,
            configuration: migration.request.configuration)
        // Removes the remains of a killed migration.
        new.remove()
        defer { new.remove() }
        guard migration.request.storeType == NSSQLiteStoreType else {
            return try replaceFile(url, with: temporary) { try copy(old, to: new) }
        }
        let settings = SQLiteOptions(migration.request.options)
        let writers = try WriterLock(url, settings)
        defer { writers.close() }
        try copy(old, to: new)
        return try DatabaseReplacement(of: url, with: temporary, settings).run(writers)
    }

    /// Replaces the file of a store without a database.
    ///
    /// - Returns: Whether the file was replaced; `false` if it was written to in the meantime.
    /// - Throws: An error with the code 134160 if the new file cannot replace the old one.
    private func replaceFile(_ url: URL, with temporary: URL, migrate: () throws -> Void) throws -> Bool {
        let location = try StoreFileLocation(url)
        let version = location.version
        try migrate()
        return try location.withLock {
            guard location.version == version else { return false }
            do {
                try location.replace(withFileAt: temporary)
            } catch {
                throw migration.request.failure(
                    .migrationManagerDestinationStore, reason: (error as NSError).localizedDescription,
                    userInfo: [NSUnderlyingErrorKey: error])
            }
            return true
        }
    }

    /// Copies the UUID and the app's metadata.
    private static func copyMetadata(of old: NSPersistentStore, to new: NSPersistentStore) {
        var metadata: [String: Any] = new.metadata ?? [:]
        for (key, value) in old.metadata ?? [:] where metadata[key] == nil && !key.hasPrefix("NSStoreModelVersion") {
            metadata[key] = value
        }
        metadata[NSStoreUUIDKey] = old.identifier
        new.metadata = metadata
    }
}
