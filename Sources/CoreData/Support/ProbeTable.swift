/// A hash table with open addressing and linear probing, for entries that say their own hash.
///
/// Swift's dictionary would hash the hash once more, ask for equality by way of protocols, and count references. Entries are
/// moved bitwise; the owner manages the lifetime of what they refer to.
///
/// What changes is behind one constant pointer: a class's variable would be checked for exclusive access each time.
struct ProbeTable<Entry: ProbeEntry>: ~Copyable {
    private let state: UnsafeMutablePointer<State>

    private struct State {
        var entries: UnsafeMutablePointer<Entry?>
        var mask: Int
        var count = 0

        init(capacity: Int) {
            entries = .allocate(capacity: capacity)
            entries.initialize(repeating: nil, count: capacity)
            mask = capacity - 1
        }
    }

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State(capacity: 16))
    }

    deinit {
        state.pointee.entries.deallocate()
        state.deallocate()
    }

    /// Returns the place of the matching entry with a hash, or nil.
    @inline(__always)
    func place(_ hash: Int, where isWanted: (Entry) -> Bool) -> Int? {
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var place = hash & mask
        while let entry = entries[place] {
            if entry.probeHash == hash, isWanted(entry) { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The entry at a place that `place` gave.
    @inline(__always)
    subscript(place: Int) -> Entry? { state.pointee.entries[place] }

    /// Adds an entry that is not here.
    func insert(_ entry: Entry) {
        if state.pointee.count > state.pointee.mask / 8 * 3 { grow() }
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var place = entry.probeHash & mask
        while entries[place] != nil { place = (place + 1) & mask }
        entries[place] = entry
        state.pointee.count += 1
    }

    private func grow() {
        let old = state.pointee
        var new = State(capacity: (old.mask + 1) * 2)
        new.count = old.count
        for index in 0...old.mask {
            guard let entry = old.entries[index] else { continue }
            var place = entry.probeHash & new.mask
            while new.entries[place] != nil { place = (place + 1) & new.mask }
            new.entries[place] = entry
        }
        old.entries.deallocate()
        state.pointee = new
    }

    /// Empties a place, and moves up what would not be found behind it.
    func remove(at removed: Int) {
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var hole = removed
        var place = removed
        while true {
            place = (place + 1) & mask
            guard let entry = entries[place] else { break }
            // What lies between its start and here may not jump over its start.
            if (place &- entry.probeHash) & mask >= (place &- hole) & mask {
                entries[hole] = entry
                hole = place
            }
        }
        entries[hole] = nil
        state.pointee.count -= 1
    }

    /// Empties the table.
    func removeAll() {
        state.pointee.entries.deallocate()
        state.pointee = State(capacity: 16)
    }

    /// Lets two tables have each other's entries.
    func exchange(with other: borrowing ProbeTable) { swap(&state.pointee, &other.state.pointee) }

    /// Calls a function with each entry.
    func forEach(_ body: (Entry) -> Void) {
        for place in 0...state.pointee.mask { if let entry = state.pointee.entries[place] { body(entry) } }
    }
}

/// What a `ProbeTable` holds.
protocol ProbeEntry: BitwiseCopyable {
    /// The hash, whose lower bits must be good ones.
    var probeHash: Int { get }
}

/// Hashes of the keys of rows.
enum KeyHash {
    /// Consecutive keys are stored in groups of four, so a loop over them finds them in the processor's cache;
    /// the groups are spread.
    @inline(__always)
    static func bits(_ key: Int64) -> Int {
        let block = UInt64(bitPattern: key >> 2) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (block >> 24) << 2 | UInt64(bitPattern: key & 3))
    }
}
