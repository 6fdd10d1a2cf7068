public import Foundation

/// Moving, destroying and replacing stores.
extension NSPersistentStoreCoordinator {
    /// Copies a store to another place or into another kind of store, and uses the copy from now on.
    ///
    /// The original stays where it is but is removed from the coordinator: its objects, which contexts may still hold, cannot
    /// be loaded or saved any more. Unsaved changes of contexts are not copied. The copy has a UUID, and so object IDs, of
    /// its own. Other threads wait meanwhile.
    ///
    /// - Parameters:
    ///   - store: a store of this coordinator.
    ///   - URL: where the copy is made. An atomic store that is there is replaced.
    ///   - options: the options that the copy is added with.
    ///   - storeType: the kind of the copy.
    /// - Returns: the copy.
    /// - Throws: an `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 when the store is not the coordinator's or
    ///   one of its stores is at the URL; or why the copy cannot be written. The coordinator is then as it was.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        let copy = try lock.withLock { () throws -> NSPersistentStore in
            guard persistentStores.contains(where: { $0 === store }) else {
                throw CoreDataError.error(.persistentStoreOperation, "the coordinator does not have this store")
            }
            try checkIsFree(URL)
            let copy = try openStore(storeType, store.requestedConfiguration, URL, options)
            try StoreCopy(self, from: store, to: copy).run()
            return copy
        }
        try exchange(store, for: copy)
        return copy
    }

    /// Copies a store, in the short form of newer code.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Deletes a store that is not open. Where there is none, nothing happens.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - storeType: its kind.
    ///   - options: the options that it would be added with.
    /// - Throws: an `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 when it cannot be deleted, as incremental
    ///   stores cannot.
    public final func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        let storeClass = try StoreTypes.storeClass(storeType, at: url)
        try lock.withLock { try storeClass.destroyStore(at: url) }
    }

    /// Deletes a store, in the short form of newer code.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of a store in the place of another, or where there is none. Neither is open.
    ///
    /// - Parameters:
    ///   - destinationURL: where the copy is made.
    ///   - destinationOptions: the options that the store there would be added with.
    ///   - sourceURL: where the original is. It stays.
    ///   - sourceOptions: the options that it would be added with.
    ///   - storeType: the kind of both.
    /// - Throws: an `NSError` of Cocoa's domain: 134000 for an unknown type, 134070 when the coordinator has a store at the
    ///   destination, or the copy cannot be made, as of stores in memory and incremental stores. The store there is then as it
    ///   was.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        let storeClass = try StoreTypes.storeClass(storeType, at: destinationURL)
        try lock.withLock {
            try checkIsFree(destinationURL)
            try storeClass.replaceStore(at: destinationURL, withStoreAt: sourceURL)
        }
    }

    /// Puts a copy of a store in the place of another, in the short form of newer code.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// An open atomic store would write over what is put into its place. Stores in memory are nowhere.
    private func checkIsFree(_ url: URL) throws {
        guard
            let store = persistentStores.first(where: {
                !$0.isInMemory && $0.url?.standardizedFileURL == url.standardizedFileURL
            })
        else { return }
        throw CoreDataError.error(
            .persistentStoreOperation, "the coordinator has a store at \(url.absoluteString)",
            [NSURLErrorKey: url, NSAffectedStoresErrorKey: [store]])
    }
}
