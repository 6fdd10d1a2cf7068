/// A three-way merge of locks by entry instead of by text line, so that changes to different entities never conflict.
package struct LockMerge {
    /// A line that both sides changed in different ways.
    package struct Conflict: Hashable, Sendable {
        package var key: ModelLock.Key
        /// The line of our side, or `nil` if it removed the line.
        package var ours: ModelLock.Entry?
        /// The line of their side, or `nil` if it removed the line.
        package var theirs: ModelLock.Entry?
    }

    /// The merged lock, with our side of each conflict.
    package private(set) var lock = ModelLock()
    /// The lines that cannot be merged, sorted.
    package private(set) var conflicts: [Conflict] = []

    /// Merges two locks that were changed independently.
    ///
    /// A version is released if either side released it. The hash of a draft that both sides changed is a conflict that
    /// `modelc lock rebase` resolves with the merged model.
    package init(base: ModelLock, ours: ModelLock, theirs: ModelLock) {
        let keys = Set(ours.entries.keys).union(theirs.entries.keys)
        for key in keys.sorted() {
            let (old, mine, other) = (base.entries[key], ours.entries[key], theirs.entries[key])
            if mine == other {
                lock.entries[key] = mine
            } else if mine == old {
                lock.entries[key] = other
            } else if other == old {
                lock.entries[key] = mine
            } else if let mine, let other, let hash = Self.merged(old?.hash, mine.hash, other.hash) {
                lock.entries[key] = ModelLock.Entry(isReleased: mine.isReleased || other.isReleased, hash: hash)
            } else {
                lock.entries[key] = mine
                conflicts.append(Conflict(key: key, ours: mine, theirs: other))
            }
        }
    }

    private static func merged<Value: Equatable>(_ base: Value?, _ ours: Value, _ theirs: Value) -> Value? {
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }
}
