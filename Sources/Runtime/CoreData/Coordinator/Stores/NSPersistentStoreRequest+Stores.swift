extension NSPersistentStoreRequest {
    /// The stores to search; `nil` for all.
    public final var affectedStores: [NSPersistentStore]? {
        get { searchedStores?.map { unsafeDowncast($0, to: NSPersistentStore.self) } }
        set { searchedStores = newValue }
    }
}
