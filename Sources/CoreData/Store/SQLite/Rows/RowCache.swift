internal import CCoreDataSupport

/// The cached rows of one table, which contexts share, so that values are not fetched again when a fault is fired.
///
/// The cache contains all rows that objects use, and a bounded number of others: as new ones are added, older unused
/// ones are evicted. Used under the coordinator's lock.
final class RowCache {
    private let recent = KeyPages<Row>()
    private let older = KeyPages<Row>()
    /// The number of recent rows beyond which they become older ones.
    private var limit = RowCache.smallestLimit
    private static let smallestLimit = 1 << 16

    deinit {
        removeAll()
    }

    /// Accesses the row of a key. Setting it marks the previous row as stale.
    subscript(key: Int64) -> Row? {
        get { (recent[key] ?? (older.count > 0 ? older[key] : nil))?.takeUnretainedValue() }
        set {
            if newValue != nil, recent.count >= limit { makeRoom() }
            let known = newValue.map { recent.set(.passRetained($0), key) } ?? recent.remove(key)
            if let known { Self.drop(known, for: newValue) }
            if older.count > 0, let known = older.remove(key) { Self.drop(known, for: newValue) }
        }
    }

    /// Releases a row, and marks it as stale unless it is its own replacement.
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

/// The keys of rows that were found together, by a fetch or in a relationship: when one of them is needed, the next
/// ones will be needed soon.
struct RowNeighbours {
    private var lists: [(keys: [Int64], next: Int)] = []

    private static let listLimit = 8
    /// The maximum number of rows that are read at once.
    static let batchSize = 256

    /// Records keys that were found together.
    mutating func note(_ keys: [Int64]) {
        guard keys.count > 1 else { return }
        if lists.count == Self.listLimit { lists.removeFirst() }
        lists.append((keys, 0))
    }

    /// Returns a key followed by those to read along with it, or only the key itself if it was found alone.
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
