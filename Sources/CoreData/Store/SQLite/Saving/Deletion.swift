/// A row that a save removes, without references that would be counted: there may be very many.
struct Deletion {
    /// The place among the save's changes.
    var index: Int
    /// The number of the entity at the top of the hierarchy, which stands for the table.
    var root: Int
    /// The version that the row is expected to have.
    var version: Int
    var key: Int64
    /// The entity, which the store has.
    var entity: Unmanaged<StoredEntity>

    /// Returns whether the row comes before another: by table, version and key.
    func isBefore(_ other: Deletion) -> Bool {
        (root, version, key) < (other.root, other.version, other.key)
    }
}

extension [Deletion] {
    /// Whether the rows are in order already, as those of a fetch mostly are.
    var isSorted: Bool { zip(self, dropFirst()).allSatisfy { !$1.isBefore($0) } }
}

extension ArraySlice<Deletion> {
    /// The rows at the beginning that one statement removes: of one table and version, with keys that follow each other.
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
