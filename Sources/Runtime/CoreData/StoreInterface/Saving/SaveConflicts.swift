/// Objects that another context or program has saved since a context fetched them.
package struct SaveConflicts: Error, @unchecked Sendable {
    /// A conflict of one change, or of an object without changes that must not have been saved elsewhere.
    package struct Conflict {
        package var change: ObjectChange
        /// The current row in the store; `nil` if it was deleted.
        package var current: Row?
        /// Whether another coordinator or process has written the row, so that the coordinator's cache was outdated.
        package var isExternal = false
        /// For an external conflict, the outdated row in the cache.
        package var cached: Row?

        package init(change: ObjectChange, current: Row? = nil, isExternal: Bool = false, cached: Row? = nil) {
            self.change = change
            self.current = current
            self.isExternal = isExternal
            self.cached = cached
        }
    }

    package var conflicts: [Conflict]

    package init(conflicts: [Conflict]) {
        self.conflicts = conflicts
    }
}

extension ObjectChange {
    /// Returns the conflict with the current row in the store, which is `nil` if it was deleted; `nil` if there is no
    /// conflict. Not for new objects.
    package func conflict(with current: Row?) -> SaveConflicts.Conflict? {
        // Two contexts may change a to-many relationship at the same time, but not if the object was deleted.
        if current != nil, !changesRow { return nil }
        // A deleted row needs no deletion.
        if current == nil, kind == .delete { return nil }
        guard current?.version != oldVersion else { return nil }
        return SaveConflicts.Conflict(change: self, current: current)
    }
}
