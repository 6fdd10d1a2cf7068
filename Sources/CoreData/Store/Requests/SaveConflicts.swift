/// Objects that others have saved since a context fetched them.
struct SaveConflicts: Error, @unchecked Sendable {
    /// One of them.
    struct Conflict {
        var object: NSManagedObject
        /// The row as it is in the store now; nil when it is gone.
        var current: Row?
        var isDeletion: Bool
        /// Whether another coordinator or process has written the row: the coordinator's cache did not know of it.
        var isExternal = false
        /// The row that the cache had until then, of an external conflict.
        var cached: Row?
    }

    var conflicts: [Conflict]
}

extension ObjectChange {
    /// Returns the conflict with the row as it is in the store now, nil for one that is gone; nil for none. Not for new
    /// objects.
    func conflict(with current: Row?) -> SaveConflicts.Conflict? {
        // Two contexts may change a to-many relationship at once, but not one of an object that is gone.
        if current != nil, !changesRow { return nil }
        // What is gone already needs no deletion.
        if current == nil, kind == .delete { return nil }
        guard current?.version != oldVersion else { return nil }
        return SaveConflicts.Conflict(object: object, current: current, isDeletion: kind == .delete)
    }
}
