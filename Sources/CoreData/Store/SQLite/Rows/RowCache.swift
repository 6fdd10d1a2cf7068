internal import CCoreDataSupport

/// What a store knows of the rows of one table: so that values that were fetched once are not fetched again when a fault needs
/// them, and contexts share them.
///
/// The cache holds all rows that objects have, and a bounded number of others: when it has taken up many new ones, those that
/// came before them and that nobody has go. Used under the coordinator's lock.
final class RowCache {
    private let recent = ProbeTable<RowEntry>()
    private let older = ProbeTable<RowEntry>()
    /// So many recent rows become older ones.
    private var limit = RowCache.smallestLimit
    private static let smallestLimit = 1 << 16

    deinit {
        removeAll()
    }

    /// The row of a key. Setting it makes the one that was there stale.
    subscript(key: Int64) -> Row? {
        get {
            let hash = KeyHash.bits(key)
            if let place = recent.place(hash, where: { $0.key == key }) { return recent[place]?.strong }
            if older.count == 0 { return nil }
            return older.place(hash) { $0.key == key }.flatMap { older[$0]?.strong }
        }
        set {
            if let newValue { keep(newValue, key) } else { remove(key) }
        }
    }

    /// Takes up a row as it is in the file.
    private func keep(_ row: Row, _ key: Int64) {
        if recent.count >= limit { makeRoom() }
        if let known = recent.insert(RowEntry(key: key, row: .passRetained(row)), where: { $0.key == key }) {
            known.drop(for: row)
        } else if older.count > 0, let place = older.place(KeyHash.bits(key), where: { $0.key == key }) {
            older[place]?.drop(for: row)
            older.remove(at: place)
        }
    }

    private func makeRoom() {
        var used: [RowEntry] = []
        older.forEach { entry in
            if cd_is_unique(entry.row.toOpaque()) { entry.row.release() } else { used.append(entry) }
        }
        older.removeAll()
        recent.exchange(with: older)
        for entry in used { recent.insert(entry) { _ in false } }
        limit = max(Self.smallestLimit, used.count * 2)
    }

    private func remove(_ key: Int64) {
        let hash = KeyHash.bits(key)
        if let place = recent.place(hash, where: { $0.key == key }) {
            recent[place]?.drop()
            recent.remove(at: place)
        }
        if let place = older.place(hash, where: { $0.key == key }) {
            older[place]?.drop()
            older.remove(at: place)
        }
    }

    func removeAll() {
        recent.forEach { $0.drop() }
        older.forEach { $0.drop() }
        recent.removeAll()
        older.removeAll()
    }
}

/// A row and its key. The cache counts the reference.
private struct RowEntry: ProbeEntry {
    let key: Int64
    let row: Unmanaged<Row>

    var probeHash: Int { KeyHash.bits(key) }
    var strong: Row { row.takeUnretainedValue() }

    /// Lets go of the row, which is the store's no more unless it is the one that comes in its place.
    func drop(for new: Row? = nil) {
        row._withUnsafeGuaranteedRef { if $0 !== new { $0.markStale() } }
        row.release()
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
