/// What a store knows of the rows of one table: so that values that were fetched once are not fetched again when a fault needs
/// them, and contexts share them.
///
/// The cache holds a bounded number of rows: when it has taken up many new ones, those that came before them go. Objects keep
/// the rows that they were made of. Used under the coordinator's lock.
final class RowCache {
    private var recent: [Int64: Row] = [:]
    private var older: [Int64: Row] = [:]

    /// The cache holds at most twice as many rows.
    private static let generationLimit = 1 << 16

    subscript(key: Int64) -> Row? {
        get { recent[key] ?? older[key] }
        set {
            guard let newValue else {
                recent[key] = nil
                older[key] = nil
                return
            }
            if recent.count >= Self.generationLimit {
                older = recent
                recent = [:]
                recent.reserveCapacity(older.count)
            }
            recent[key] = newValue
        }
    }

    func removeAll() {
        recent = [:]
        older = [:]
    }
}

/// The keys of rows that were found together, by a fetch or in a relationship: when one of them is wanted, the next ones will
/// be wanted soon.
struct RowNeighbours {
    private var lists: [(keys: [Int64], next: Int)] = []

    private static let listLimit = 8
    /// As many rows are read at once.
    static let batchSize = 256

    /// Remembers keys that were found together.
    mutating func note(_ keys: [Int64]) {
        guard keys.count > 1 else { return }
        if lists.count == Self.listLimit { lists.removeFirst() }
        lists.append((keys, 0))
    }

    /// The keys that come with one, itself first; only itself when it was found alone.
    mutating func batch(from key: Int64) -> ArraySlice<Int64> {
        for index in lists.indices.reversed() {
            let (keys, next) = lists[index]
            let near = keys[next..<min(next + Self.batchSize, keys.count)].firstIndex(of: key)
            guard let start = near ?? keys.firstIndex(of: key) else { continue }
            let end = min(start + Self.batchSize, keys.count)
            lists[index].next = end
            return keys[start..<end]
        }
        return [key]
    }

    mutating func removeAll() {
        lists = []
    }
}
