internal import Foundation
internal import RuntimeSupport

/// Opening, checking, replacing and removing stores.
extension NSPersistentStoreCoordinator {
    /// Creates, migrates if needed, and loads a store, without adding it.
    final func openStore(
        _ storeType: String, configuration: String?, storeURL: URL?, options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        var store = try StoreTypes.makeStore(
            storeType, coordinator: self, configuration: configuration, url: storeURL, options: options)
        try lock.withLock {
            try store.loadMetadata()
            if let open = stores.first(where: { $0 !== store && $0.identifier == store.identifier }) {
                throw sameStore(open, store.url ?? storeURL)
            }
            while let migration = StoreMigration(of: store, to: managedObjectModel, options) {
                // The store object that read the metadata is replaced before the migration, which closes its file.
                store = try StoreTypes.makeStore(
                    storeType, coordinator: self, configuration: configuration, url: storeURL, options: options)
                do {
                    try migration.run()
                } catch let error as NSError where migration.mayBeOutdated(error) {
                    // Another process has migrated the store since its metadata was read, so that its model was not
                    // found.
                    guard (try? store.loadMetadata()) != nil, !migration.request.isStillNeeded(for: store.metadata)
                    else {
                        throw error
                    }
                    continue
                }
                try store.loadMetadata()
                break
            }
            try checkVersion(of: store, options)
            store.recordVersion(of: managedObjectModel)
            try store.engine.loadContents()
            // Metadata set so far came from the store, or is written with its first changes.
            store.hasUnsavedMetadata = false
        }
        return store
    }

    /// Returns the error for a store that the coordinator has already, at the same location or as a copy: the objects
    /// of both would have the same IDs.
    final func sameStore(_ open: NSPersistentStore, _ url: URL?) -> NSError {
        let (own, other) = (open.url.map { Redaction.url($0).path } ?? "", url.map { Redaction.url($0).path } ?? "")
        let isCopy = own != other
        return CoreDataError.error(
            .sameStore,
            text: "Can't add the same store twice: "
                + (isCopy
                    ? "the store at \(other) has the UUID of the open one at \(own). Give the copy another NSStoreUUIDKey with "
                        + "setMetadata(_:forPersistentStoreOfType:at:options:)"
                    : "the coordinator has the one at \(own)"),
            userInfo: [NSURLErrorKey: url ?? "nil", NSAffectedStoresErrorKey: [open]])
    }

    /// Returns the identity of a store: that of the store with the same UUID that was removed, if there is one.
    final func storeIdentity(_ uuid: String, of store: NSPersistentStore) -> StoreIdentity {
        if let created = knownIdentities[uuid], created.store == nil || created.store === store {
            created.store = store
            return created
        }
        let storeIdentity = StoreIdentity(uuid: uuid, store: store)
        knownIdentities[uuid] = storeIdentity
        return storeIdentity
    }

    /// Returns whether an open store has a UUID.
    package final func hasStore(withUUID uuid: String) -> Bool {
        persistentStores.contains { $0.identifier.utf8.elementsEqual(uuid.utf8) }
    }

    /// Sets an identity's UUID to the new one of its store.
    package final func rename(_ storeIdentity: StoreIdentity, to uuid: String) {
        knownIdentities[storeIdentity.uuid] = nil
        storeIdentity.uuid = uuid
        knownIdentities[uuid] = storeIdentity
    }

    /// Throws an error that lists the differences if a store was created with another version of the model.
    final func checkVersion(of store: NSPersistentStore, _ options: [AnyHashable: Any]?) throws {
        guard let metadata = store.metadata, let stored = StoreMetadata.entityHashes(in: metadata),
            (options?[NSIgnorePersistentStoreVersioningOption] as? NSNumber)?.boolValue != true,
            !managedObjectModel.isConfiguration(
                withName: store.requestedConfiguration, compatibleWithStoreMetadata: metadata)
        else { return }
        let members = managedObjectModel.entities(forConfigurationName: store.requestedConfiguration) ?? []
        let names = Set(members.compactMap(\.name))
        let hashes = managedObjectModel.entityVersionHashesByName.filter { names.contains($0.key) }
        let reason = "The model used to open the store is incompatible with the one used to create the store"
        let difference = StoredModelDifference(model: hashes, store: stored).summary
        throw CoreDataError.error(
            .persistentStoreIncompatibleVersionHash,
            text: difference.map { "\(reason): entities \($0)" } ?? reason,
            userInfo: ["metadata": metadata, "reason": reason, NSURLErrorKey: store.url ?? "nil"])
    }

    /// Removes a store, also one that was destroyed.
    final func removeOpen(_ store: NSPersistentStore) throws {
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        try lock.withLock {
            guard let index = stores.firstIndex(where: { $0 === store }) else {
                throw CoreDataError.error(.persistentStoreOperation, text: "the coordinator does not have this store")
            }
            store.willRemove(from: self)
            stores.remove(at: index)
            store.detach()
        }
        postStoresDidChange([NSRemovedPersistentStoresKey: [store]])
    }

    /// Replaces a store with another open one. Called under the lock.
    final func exchange(_ old: NSPersistentStore, for new: NSPersistentStore) throws {
        guard let index = stores.firstIndex(where: { $0 === old }) else {
            throw CoreDataError.error(.persistentStoreOperation, text: "the coordinator does not have this store")
        }
        old.willRemove(from: self)
        stores[index] = new
        old.detach()
    }
}
