/// The changes that a store writes in one save.
struct StoreSave {
    /// What has changed; nothing when only the metadata have.
    var changes: [ObjectChange]
    /// Objects without changes that must not have been saved by others either.
    var locked: [NSManagedObject] = []
    /// The author of the changes, for the history.
    var author: String?
    /// The name of the context that saves, for the history.
    var contextName: String?
}
