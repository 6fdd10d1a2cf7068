extension FetchSettings {
    /// Objects that are not among the results, because a context with unsaved changes of them matches them itself.
    var excluded: [NSManagedObjectID] {
        get { excludedResults.map { unsafeDowncast($0, to: NSManagedObjectID.self) } }
        set { excludedResults = newValue }
    }
}
