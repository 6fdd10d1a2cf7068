internal import CCoreDataSupport
internal import RuntimeSupport

/// The cached rows of one table, which contexts share, so that values are not fetched again when a fault is fired.
///
/// The cache contains all rows that objects use, and others up to a number and a size: as new ones are added, older
/// unused ones are evicted. Used under the coordinator's lock.
package final class RowCache {
    private let recent = KeyPages<Row>()
    private let older = KeyPages<Row>()
    /// The number of recent rows beyond which they become older ones.
    private var limit = RowCache.smallestLimit
    private static let smallestLimit = 1 << 16
    /// The size of the recent rows that were added since the last eviction.
    private var size = 0
    /// The size of the rows that were in use then.
    private var usedSize = 0
    /// The number of times that cached rows were found since the last eviction. Once it is that of the used rows,
    /// another eviction costs little, and finds rows that are no longer in use.
    private var hits = 0

    package init() {}
    /// The size of recent rows beyond which they become older ones, so that unused rows take at most twice as much.
    static let sizeLimit = 16 << 20

    deinit {
        removeAll()
    }

    /// Accesses the row of a key. Setting it marks the previous row as stale.
    package subscript(key: Int64) -> Row? {
        get { (recent[key] ?? (older.count > 0 ? older[key] : nil))?.takeUnretainedValue() }
        set { put(newValue, key) }
    }

    /// Sets the row of a key, and marks the previous one as stale.
    func set(_ row: Row, _ key: Int64, size: Int) {
        if self.size >= Self.sizeLimit { makeRoom() }
        self.size += size
        put(row, key)
    }

    private func put(_ row: Row?, _ key: Int64) {
        if row != nil, recent.count >= limit { makeRoom() }
        let replaced = row.map { recent.set(.passRetained($0), key) } ?? recent.remove(key)
        if let replaced { Self.drop(replaced, for: row) }
        if older.count > 0, let replaced = older.remove(key) { Self.drop(replaced, for: row) }
    }

    /// Records that a fetch has found a row in the cache.
    @inline(__always)
    package func recordHit() {
        hits += 1
        if usedSize + size > Self.sizeLimit, hits >= count { makeRoom() }
    }

    /// The number of rows.
    var count: Int { recent.count + older.count }

    /// Releases a row, and marks it as stale unless it is its own replacement.
    private static func drop(_ row: Unmanaged<Row>, for new: Row? = nil) {
        row._withUnsafeGuaranteedRef { if $0 !== new { $0.markStale() } }
        row.release()
    }

    private func makeRoom() {
        let averageSize = (usedSize + size) / max(count, 1)
        var used: [(key: Int64, row: Unmanaged<Row>)] = []
        older.forEach { key, row in
            if cd_is_unique(row.toOpaque()) { row.release() } else { used.append((key, row)) }
        }
        older.removeAll()
        recent.exchange(with: older)
        for (key, row) in used { recent.set(row, key) }
        limit = max(Self.smallestLimit, used.count * 2)
        size = 0
        usedSize = averageSize * count
        hits = 0
    }

    package func removeAll() {
        recent.forEach { Self.drop($1) }
        older.forEach { Self.drop($1) }
        recent.removeAll()
        older.removeAll()
        size = 0
        usedSize = 0
    }
}

/// The keys of rows that were found together, by a fetch or in a relationship: when one of them is needed, the next
/// ones will be needed soon.
package struct RowNeighbors {
    private var lists: [List] = []

    package init() {}

    private static let listLimit = 8
    /// The maximum number of rows that are read at once.
    static let batchSize = 256

    /// The keys of one fetch or relationship.
    private struct List {
        let keys: [Int64]
        /// The position after the last batch, where the next key is expected.
        var next = 0
        let isSorted: Bool
        /// The positions of the keys in the order of the keys, made for the first search of an unsorted list.
        private var order: [Int32] = []

        init(_ keys: [Int64]) {
            self.keys = keys
            isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        }

        /// Returns the position of a key. Takes logarithmic time.
        mutating func position(of key: Int64) -> Int? {
            if let near = keys[next..<min(next + RowNeighbors.batchSize, keys.count)].firstIndex(of: key) {
                return near
            }
            if !isSorted, order.isEmpty {
                order = keys.indices.map { Int32(truncatingIfNeeded: $0) }
                order.sort { keys[Int($0)] < keys[Int($1)] }
            }
            var (start, end) = (0, keys.count)
            while start < end {
                let middle = (start + end) / 2
                if keys[position(middle)] < key { start = middle + 1 } else { end = middle }
            }
            guard start < keys.count, keys[position(start)] == key else { return nil }
            return position(start)
        }

        private func position(_ rank: Int) -> Int { isSorted ? rank : Int(order[rank]) }
    }

    /// Records keys that were found together.
    package mutating func record(_ keys: [Int64]) {
        guard keys.count > 1, keys.count <= Int(Int32.max) else { return }
        if lists.count == Self.listLimit { lists.removeFirst() }
        lists.append(List(keys))
    }

    /// Returns a key followed by those to read along with it, or only the key itself if it was found alone.
    package mutating func batch(from key: Int64) -> ArraySlice<Int64> {
        for index in lists.indices.reversed() {
            guard let start = lists[index].position(of: key) else { continue }
            let end = min(start + Self.batchSize, lists[index].keys.count)
            lists[index].next = end
            return lists[index].keys[start..<end]
        }
        return [key]
    }

    mutating func removeAll() {
        lists = []
    }
}
