extension StoreIdentity {
    /// Creates the identity of a store.
    convenience init(uuid: String, store: NSPersistentStore) {
        self.init(uuid: uuid, owner: store, layouts: store.persistentStoreCoordinator?.allLayouts ?? [])
    }

    /// The open store with the UUID; `nil` while there is none.
    final var store: NSPersistentStore? {
        get { owner.map { unsafeDowncast($0, to: NSPersistentStore.self) } }
        set { owner = newValue }
    }
}

extension NSManagedObjectID {
    /// Creates a permanent ID.
    convenience init(_ reference: Reference, _ layout: EntityLayout, store: NSPersistentStore) {
        self.init(
            reference, layout, storeIdentity: store.storeIdentity,
            isTracked: store.engine.traits.contains(.tracksObjects))
    }

    /// The store that the object is in; `nil` for a temporary ID, and after the store was removed.
    public final var persistentStore: NSPersistentStore? { storeIdentity?.store }
}
