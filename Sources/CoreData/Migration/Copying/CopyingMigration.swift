internal import CSQLite3
internal import Foundation

/// Migrates a store with a mapping model: a manager writes a new store beside the old one, which then takes the content of the new one.
///
/// The content is exchanged in one transaction, or by one rename for stores without a database, so that there is either the old store
/// or the new one at any time. Until then the old store is only read.
struct CopyingMigration {
    /// The suffix of Apple's framework.
    private static let suffix = ".migrationdestination_41b5a6b5c6e848c462a8480cd24caef3"

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
            guard try isStillNeeded() else { return }
            try copyAndReplace()
        }
    }

    /// Whether no other process has migrated the store meanwhile.
    private func isStillNeeded() throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: migration.storeType, at: migration.url, options: migration.options)
        return !migration.destination.isConfiguration(
            withName: migration.configuration, compatibleWithStoreMetadata: metadata)
    }

    private func copyAndReplace() throws {
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
        let isDatabase = migration.storeType == NSSQLiteStoreType
        let writers = isDatabase ? try WriterLock(url, SQLiteOptions(migration.options)) : nil
        do {
            try manager.migrate(old, mapping, to: new) { Self.copyMetadata(of: $0, to: $1) }
        } catch {
            writers?.release()
            throw error
        }
        writers?.release()
        if isDatabase {
            try DatabaseReplacement(of: url, with: temporary, SQLiteOptions(migration.options)).run()
        } else {
            let content = try StoreFilePlace(temporary).read() ?? []
            try StoreFilePlace(url).replace(with: content)
        }
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

/// Keeps others from writing to a store that is being copied.
private final class WriterLock {
    private var connection: SQLiteConnection?

    init(_ url: URL, _ settings: SQLiteOptions) throws {
        do throws(SQLiteError) {
            let log = SQLiteFile(url).log.path
            let hasLog =
                ((try? FileManager.default.attributesOfItem(atPath: log)[.size]) as? NSNumber)?.intValue ?? 0 > 0
            let connection = try SQLiteConnection(path: url.path, timeout: settings.timeout, vfs: settings.vfs)
            // The old store stays as it is, its log included.
            if hasLog { _ = modelc_sqlite3_disable_checkpoint_on_close(connection.handle) }
            guard !connection.isReadOnly, sqlite3_db_readonly(connection.handle, "main") == 0 else { return }
            try connection.execute("BEGIN IMMEDIATE")
            self.connection = connection
        } catch {
            throw error.cocoaError(
                .persistentStoreTimeout, "the store at \(url.path) cannot be locked for its migration", at: url)
        }
    }

    func release() {
        guard let connection else { return }
        try? connection.execute("ROLLBACK")
        connection.close()
        self.connection = nil
    }
}
