/// Objects that others have saved since a context fetched them.
struct SaveConflicts: Error, @unchecked Sendable {
    /// A conflict of one change, or of an object without changes that must not have been saved elsewhere.
    struct Conflict {
        var change: ObjectChange
        /// The current row in the store; nil if it was deleted.
        var current: Row?
        /// Whether another coordinator or process has written the row, so that the coordinator's cache was outdated.
        var isExternal = false
        /// For an external conflict, the outdated row in the cache.
        var cached: Row?
    }

    var conflicts: [Conflict]
}

extension ObjectChange {
    /// Returns the conflict with the current row in the store, which is nil if it was deleted; nil if there is no
    /// conflict. Not for new objects.
    func conflict(with current: Row?) -> SaveConflicts.Conflict? {
        // Two contexts may change a to-many relationship at the same time, but not if the object was deleted.
        if current != nil, !changesRow { return nil }
        // A deleted row needs no deletion.
        if current == nil, kind == .delete { return nil }
        guard current?.version != oldVersion else { return nil }
        return SaveConflicts.Conflict(change: self, current: current)
    }
}
