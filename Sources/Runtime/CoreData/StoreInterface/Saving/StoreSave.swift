/// The changes that a store writes in one save.
package struct StoreSave {
    /// The changed objects; empty if only the metadata have changed.
    package var changes: [ObjectChange]
    /// Objects without changes that must not have been saved elsewhere either.
    package var locked: [ObjectChange] = []
    /// The author of the changes, for the history.
    package var author: String?
    /// The name of the context that saves, for the history.
    package var contextName: String?
    /// Sets `ObjectChange.derived` of all changes, from the objects, given the slots that the caller computes for a
    /// layout. A store calls it within its transaction, again if it repeats that: a date must not be older than the
    /// saves of other programs before it.
    package var computeDerivedValues: (_ slots: (EntityLayout) -> [Int]) -> Void = { _ in }
    /// Returns whether the caller shows derived values of an object, and needs its row if the save changes only those.
    var showsDerivedValues: (NSManagedObjectID) -> Bool = { _ in false }
}
