/// What a store knows of the rows of one table: so that values that were fetched once are not fetched again when a fault needs
/// them, and contexts share them.
///
/// The cache holds a bounded number of rows: when it has taken up many new ones, those that came before them go. Objects keep
/// the rows that they were made of. Used under the coordinator's lock.
final class RowCache {
    private var recent = ProbeTable<RowEntry>()
    private var older = ProbeTable<RowEntry>()

    private let epoch: Epoch

    /// The cache holds at most twice as many rows.
    private static let generationLimit = 1 << 16

    /// - Parameter epoch: what tells those who have taken rows over that these are not in the file any more.
    init(_ epoch: Epoch) {
        self.epoch = epoch
    }

    deinit {
        recent.forEach { $0.row.release() }
        older.forEach { $0.row.release() }
    }

    subscript(key: Int64) -> Row? {
        get {
            let hash = KeyHash.bits(key)
            if let place = recent.place(hash, where: { $0.key == key }) { return recent[place]?.strong }
            return older.place(hash) { $0.key == key }.flatMap { older[$0]?.strong }
        }
        set {
            epoch.advance()
            if let newValue { keep(newValue, key) } else { remove(key) }
        }
    }

    /// Takes up a row as it is in the file.
    func keep(_ row: Row, _ key: Int64) {
        if recent.count >= Self.generationLimit {
            older.forEach { $0.row.release() }
            swap(&recent, &older)
            recent = ProbeTable(minimumCapacity: Self.generationLimit)
        }
        guard let known = recent.insert(RowEntry(key: key, row: .passRetained(row)), where: { $0.key == key }) else {
            return
        }
        if known.row.toOpaque() != Unmanaged.passUnretained(row).toOpaque() { epoch.advance() }
        known.row.release()
    }

    private func remove(_ key: Int64) {
        let hash = KeyHash.bits(key)
        if let place = recent.place(hash, where: { $0.key == key }) {
            recent[place]?.row.release()
            recent.remove(at: place)
        }
        if let place = older.place(hash, where: { $0.key == key }) {
            older[place]?.row.release()
            older.remove(at: place)
        }
    }

    func removeAll() {
        epoch.advance()
        recent.forEach { $0.row.release() }
        older.forEach { $0.row.release() }
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
