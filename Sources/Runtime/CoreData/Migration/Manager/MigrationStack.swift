internal import Foundation

extension StoreAddress {
    /// Whether the store has no file.
    private var isInMemory: Bool { type == NSInMemoryStoreType || SQLiteFile(url).isInMemory }

    /// Whether the store exists. An empty file counts as a store that does not exist yet.
    var exists: Bool {
        if let exists = StoreTypes.engine(type)?.exists(self) { return exists }
        guard !isInMemory, let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
            return false
        }
        return (attributes[.size] as? NSNumber)?.intValue != 0
            || attributes[.type] as? FileAttributeType != .typeRegular
    }

    /// Whether no store and no file exists at the location, not even an empty file.
    var isAbsent: Bool { !exists && (isInMemory || FileMode.of(url) == nil) }

    /// The folders that do not exist yet and that the store's file would be in, the innermost first.
    var missingFolders: [URL] {
        guard url.isFileURL, !isInMemory else { return [] }
        var result: [URL] = []
        var folder = url.deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path) {
            result.append(folder)
            folder.deleteLastPathComponent()
        }
        return result
    }

    /// Creates an empty file, which counts as a store that does not exist yet, with the mode of another store's file.
    func createFile(like other: URL?) throws {
        guard [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType].contains(type), !isInMemory, url.isFileURL,
            let other, other.isFileURL, let mode = FileMode.of(other)
        else { return }
        try StoreFolder.create(for: url)
        // The copy is written also if the original is read-only.
        try StoreDisk.standard.createFile(url, mode: mode | 0o600)
    }

    /// Removes the store's files or tables, but not the external files of a store that shares their folder.
    func remove() {
        if StoreTypes.engine(type)?.remove(self) == true { return }
        if isInMemory { return }
        guard type == NSSQLiteStoreType else {
            try? FileManager.default.removeItem(at: url)
            return
        }
        StoreFiles(SQLiteFile(url), options ?? [:]).discard()
    }
}

/// A coordinator and a context of one side of a migration.
///
/// The model is a copy in which all classes are `NSManagedObject`: the app's classes fit only one version of the model.
final class MigrationStack {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init(_ model: NSManagedObjectModel) {
        let copy = model.copy() as? NSManagedObjectModel ?? NSManagedObjectModel()
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        // Classes have no part in the hashes, which take the longest to compute of all that a copy needs.
        copy.load(hashes: model.versionHashes)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: copy)
        // Policies use the contexts on the thread of the migration, without `perform`.
        context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    func entity(named name: String) -> NSEntityDescription? { coordinator.managedObjectModel.entitiesByName[name] }

    /// Adds the store.
    ///
    /// - Throws: An error with the code 134150 or 134160.
    func open(_ address: StoreAddress, isReadOnly: Bool) throws -> NSPersistentStore {
        var options = address.options ?? [:]
        options[NSMigratePersistentStoresAutomaticallyOption] = false
        options[NSInferMappingModelAutomaticallyOption] = false
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        if isReadOnly {
            options[NSReadOnlyPersistentStoreOption] = true
            options[NSPersistentHistoryTrackingKey] = nil
        }
        do {
            return try coordinator.addPersistentStore(
                ofType: address.type, configurationName: address.configuration, at: address.url,
                options: options)
        } catch {
            throw MigrationErrors.error(
                isReadOnly ? .migrationManagerSourceStore : .migrationManagerDestinationStore,
                reason: "\(address.url.path): \((error as NSError).localizedDescription)",
                [NSURLErrorKey: address.url, NSUnderlyingErrorKey: error])
        }
    }

    /// Removes the store and the objects.
    func close() {
        context.reset()
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
}
