internal import CCoreDataSupport

/// What a store knows of the rows of one table: so that values that were fetched once are not fetched again when a fault needs
/// them, and contexts share them.
///
/// The cache holds all rows that objects use, and a bounded number of others: when many new ones were added, older
/// unused ones are evicted. Used under the coordinator's lock.
final class RowCache {
    private let recent = KeyPages<Row>()
    private let older = KeyPages<Row>()
    /// So many recent rows become older ones.
    private var limit = RowCache.smallestLimit
    private static let smallestLimit = 1 << 16

    deinit {
        removeAll()
    }

    /// The row of a key. Setting it makes the one that was there stale.
    subscript(key: Int64) -> Row? {
        get { (recent[key] ?? (older.count > 0 ? older[key] : nil))?.takeUnretainedValue() }
        set {
            if newValue != nil, recent.count >= limit { makeRoom() }
            let known = newValue.map { recent.set(.passRetained($0), key) } ?? recent.remove(key)
            if let known { Self.drop(known, for: newValue) }
            if older.count > 0, let known = older.remove(key) { Self.drop(known, for: newValue) }
        }
    }

    /// Releases a row, which the store no longer uses unless it is its own replacement.
    private static func drop(_ row: Unmanaged<Row>, for new: Row? = nil) {
        row._withUnsafeGuaranteedRef { if $0 !== new { $0.markStale() } }
        row.release()
    }

    private func makeRoom() {
        var used: [(key: Int64, row: Unmanaged<Row>)] = []
        older.forEach { key, row in
            if cd_is_unique(row.toOpaque()) { row.release() } else { used.append((key, row)) }
        }
        older.removeAll()
        recent.exchange(with: older)
        for (key, row) in used { recent.set(row, key) }
        limit = max(Self.smallestLimit, used.count * 2)
    }

    func removeAll() {
        recent.forEach { Self.drop($1) }
        older.forEach { Self.drop($1) }
        recent.removeAll()
        older.removeAll()
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

    /// Returns the keys that come with one, itself first; only itself when it was found alone.
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
