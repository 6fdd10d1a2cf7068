public import Foundation

/// Moving, destroying and replacing stores.
extension NSPersistentStoreCoordinator {
    /// Copies a store and replaces it with the copy: see `migratePersistentStore(_:to:options:withType:)`.
    final func migrate(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]?, storeType: String
    ) throws -> NSPersistentStore {
        func check() throws {
            guard persistentStores.contains(where: { $0 === store }) else {
                throw CoreDataError.error(.persistentStoreOperation, text: "the coordinator does not have this store")
            }
            try checkIsFree(URL, options)
        }
        // A failure removes what this call has created.
        let destination = StoreAddress(url: URL, type: storeType, options: options)
        var folders: [URL] = []
        func discard() {
            destination.remove()
            for folder in folders { rmdir(folder.path) }
        }
        let (copy, isNew) = try lock.withLock { () throws -> (NSPersistentStore, Bool) in
            try check()
            let isNew = destination.isAbsent
            folders = destination.missingFolders
            if isNew {
                do {
                    try destination.createFile(like: store.url)
                } catch {
                    // Another program may have created the file in the meantime.
                    for folder in folders { rmdir(folder.path) }
                    throw error
                }
            }
            do {
                let copy = try openStore(
                    storeType, configuration: store.requestedConfiguration, storeURL: URL, options: options)
                return (copy, isNew)
            } catch {
                if isNew { discard() }
                throw error
            }
        }
        // Observers may still save to the store.
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        // Under one lock: a save after the copy would only reach the removed store.
        try lock.withLock {
            do {
                try check()
                try StoreTransfer(self, from: store, to: copy).run()
                try exchange(store, for: copy)
            } catch {
                copy.willRemove(from: self)
                copy.detach()
                // Another thread may have migrated a store to the same location.
                if isNew, openStore(at: URL, options: options) == nil { discard() }
                throw error
            }
        }
        copy.didAdd(to: self)
        postStoresDidChange([NSAddedPersistentStoresKey: [copy], NSRemovedPersistentStoresKey: [store]])
        return copy
    }

    /// Copies a store (newer spelling).
    ///
    /// - Throws: See `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Deletes a store: see `destroyPersistentStore(at:ofType:options:)`.
    final func destroy(at url: URL, _ options: [AnyHashable: Any]?, _ storeType: String) throws {
        let storeClass = try StoreTypes.storeClass(storeType, at: url)
        try StoreTypes.requireNoOtherStore(thanOf: storeType, at: url)
        let open = try lock.withLock {
            try storeClass.destroyStore(at: url, options: options ?? [:])
            let open = openStores(at: url).filter {
                !$0.isDestroyed && $0.engine.isSame(withConfiguration: nil, options: options ?? [:])
            }
            // At once: a save before they are removed would write an atomic store's file again.
            for store in open { store.isDestroyed = true }
            return open
        }
        for store in open { try removeOpen(store) }
    }

    /// Deletes a store (newer spelling).
    ///
    /// - Throws: See `destroyPersistentStore(at:ofType:options:)`.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Replaces a store with a copy of another: see
    /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    final func replace(
        at destinationURL: URL, options: [AnyHashable: Any]?, withStoreAt sourceURL: URL,
        sourceOptions: [AnyHashable: Any]?, storeType: String
    ) throws {
        let storeClass = try StoreTypes.storeClass(storeType, at: destinationURL)
        try lock.withLock {
            try checkIsFree(destinationURL, options)
            try StoreTypes.requireNoOtherStore(thanOf: storeType, at: destinationURL)
            try storeClass.replaceStore(
                at: destinationURL, options: options ?? [:], withStoreAt: sourceURL, sourceOptions: sourceOptions ?? [:]
            )
        }
    }

    /// Replaces a store with a copy of another (newer spelling).
    ///
    /// - Throws: See `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Returns the store that is open at a URL, also if one of the URLs is a symbolic link.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of another store at the URL.
    ///   - options: The options of the other store.
    final func openStore(
        at url: URL, configuration: String? = nil, options: [AnyHashable: Any]?
    ) -> NSPersistentStore? {
        openStores(at: url).first { $0.engine.isSame(withConfiguration: configuration, options: options ?? [:]) }
    }

    private func openStores(at url: URL) -> [NSPersistentStore] {
        func canonical(_ url: URL) -> URL { url.isFileURL ? url.resolvingSymlinksInPath().standardizedFileURL : url }
        return persistentStores.filter {
            !$0.engine.traits.contains(.inMemory) && $0.url.map(canonical) == canonical(url)
        }
    }

    /// Throws an error if a store is open at a URL: an open atomic store would overwrite its replacement. In-memory
    /// stores have no location.
    private func checkIsFree(_ url: URL, _ options: [AnyHashable: Any]?) throws {
        guard let store = openStore(at: url, options: options) else { return }
        throw CoreDataError.error(
            .persistentStoreOperation, text: "the coordinator has a store at \(url.absoluteString)",
            userInfo: [NSURLErrorKey: url, NSAffectedStoresErrorKey: [store]])
    }
}
