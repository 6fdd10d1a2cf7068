internal import CSQLite3
internal import Foundation

/// Migrates a store with a mapping model: a manager writes a new store beside the old one, which then takes the content of the new one.
///
/// The content is exchanged in one transaction, or by one rename for stores without a database, so that there is either the old store
/// or the new one at any time. Until then the old store is only read.
struct CopyingMigration {
    /// The suffix of Apple's framework.
    private static let suffix = ".migrationdestination_41b5a6b5c6e848c462a8480cd24caef3"

    /// How often a store is migrated anew that another process has written meanwhile.
    private static let attempts = 5

    private let migration: StoreMigration
    private let source: NSManagedObjectModel
    private let mapping: NSMappingModel
    private let manager: NSMigrationManager

    init(_ migration: StoreMigration, from source: NSManagedObjectModel, _ mapping: NSMappingModel) {
        self.migration = migration
        self.source = source
        self.mapping = mapping
        manager = NSMigrationManager(sourceModel: source, destinationModel: migration.destination)
    }

    /// Migrates the store, which must not be open in this process. Waits for another process that migrates it.
    func run() throws {
        let place = MigrationFolderLock(migration.url)
        try place.withLock {
            for _ in 0..<Self.attempts {
                guard try isStillNeeded() else { return }
                if try copyAndReplace() { return }
            }
            throw migration.failure(
                .migration, "other processes keep writing to the store",
                help: "Close the store in other processes before it is migrated.")
        }
    }

    /// Returns whether no other process has migrated the store meanwhile.
    private func isStillNeeded() throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: migration.storeType, at: migration.url, options: migration.options)
        return !migration.destination.isConfiguration(
            withName: migration.configuration, compatibleWithStoreMetadata: metadata)
    }

    /// - Returns: Whether the store was replaced; `false` if another process has written to it after it was read.
    private func copyAndReplace() throws -> Bool {
        let url = migration.url.resolvingSymlinksInPath()
        let temporary = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.lastPathComponent)\(Self.suffix)")
        var options = migration.options
        // The new store's history would tell of every object.
        options[NSPersistentHistoryTrackingKey] = nil
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
        let old = StorePlaceDescription(
            url: url, type: migration.storeType, options: migration.options, configuration: migration.configuration)
        let new = StorePlaceDescription(
            url: temporary, type: migration.storeType, options: options, configuration: migration.configuration)
        // Of a migration that was killed.
        new.remove()
        defer { new.remove() }
        guard migration.storeType == NSSQLiteStoreType else {
            return try replaceFile(url, with: temporary) {
                try manager.migrate(old, mapping, to: new) { Self.copyMetadata(of: $0, to: $1) }
            }
        }
        let settings = SQLiteOptions(migration.options)
        let writers = try WriterLock(url, settings)
        defer { writers.close() }
        try manager.migrate(old, mapping, to: new) { Self.copyMetadata(of: $0, to: $1) }
        return try DatabaseReplacement(of: url, with: temporary, settings).run(writers)
    }

    /// Replaces the file of a store without a database.
    ///
    /// - Returns: `false` if the file was written meanwhile.
    /// - Throws: an error of the code 134160 if the new file cannot take the place of the old one.
    private func replaceFile(_ url: URL, with temporary: URL, migrate: () throws -> Void) throws -> Bool {
        let place = try StoreFilePlace(url)
        let version = place.version
        try migrate()
        guard place.version == version else { return false }
        do {
            try place.replace(withFileAt: temporary)
        } catch {
            throw migration.failure(
                .migrationManagerDestinationStore, (error as NSError).localizedDescription,
                [NSUnderlyingErrorKey: error])
        }
        return true
    }

    /// Keeps the UUID and the metadata of the app.
    private static func copyMetadata(of old: NSPersistentStore, to new: NSPersistentStore) {
        var metadata: [String: Any] = new.metadata ?? [:]
        for (key, value) in old.metadata ?? [:] where metadata[key] == nil && !key.hasPrefix("NSStoreModelVersion") {
            metadata[key] = value
        }
        metadata[NSStoreUUIDKey] = old.identifier
        new.metadata = metadata
    }
}

/// Lets one process or thread at a time migrate the stores of a folder.
struct MigrationFolderLock {
    private let folder: URL

    init(_ store: URL) {
        folder = store.resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Runs a block while no other migrates. A folder that cannot be locked, as on some network file systems, does not prevent the
    /// migration.
    func withLock(_ body: () throws -> Void) throws {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 {
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        }
        try body()
    }
}
