/// A row that a save removes, without retained references, as there may be very many.
struct Deletion {
    /// The index among the save's changes.
    var index: Int
    /// The number of the root entity, which identifies the table.
    var root: Int
    /// The version that the row is expected to have.
    var version: Int
    var key: Int64
    /// The entity, which the store retains.
    var entity: Unmanaged<StoredEntity>

    /// Returns whether the row precedes another by table, version and key.
    func isBefore(_ other: Deletion) -> Bool {
        (root, version, key) < (other.root, other.version, other.key)
    }
}

extension [Deletion] {
    /// Whether the rows are already sorted, as those of a fetch usually are.
    var isSorted: Bool { zip(self, dropFirst()).allSatisfy { !$1.isBefore($0) } }
}

extension ArraySlice<Deletion> {
    /// The leading rows that one statement can remove: in the same table, with the same version and consecutive keys.
    var firstRun: ArraySlice {
        guard let first else { return self }
        var end = index(after: startIndex)
        while end < endIndex, self[end].root == first.root, self[end].version == first.version,
            self[end].key == self[end - 1].key &+ 1
        {
            end += 1
        }
        return self[..<end]
    }
}
