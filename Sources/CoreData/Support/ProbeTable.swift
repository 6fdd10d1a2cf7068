/// A hash table with open addressing and linear probing, for entries that say their own hash.
///
/// Swift's dictionary would hash the hash once more, ask for equality by way of protocols, and count references. Entries are
/// moved as they are: what they refer to is the owner's matter.
struct ProbeTable<Entry: ProbeEntry>: ~Copyable {
    private var entries: UnsafeMutableBufferPointer<Entry?>
    private(set) var count = 0

    init(minimumCapacity: Int = 0) {
        var capacity = 16
        while capacity < minimumCapacity * 2 { capacity *= 2 }
        entries = Self.allocate(capacity)
    }

    deinit {
        entries.deallocate()
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutableBufferPointer<Entry?> {
        let entries = UnsafeMutableBufferPointer<Entry?>.allocate(capacity: capacity)
        entries.initialize(repeating: nil)
        return entries
    }

    /// The place of an entry with a hash; nil when there is none that is the right one.
    @inline(__always)
    func place(_ hash: Int, where isWanted: (Entry) -> Bool) -> Int? {
        var place = hash & (entries.count - 1)
        while let entry = entries[place] {
            if entry.probeHash == hash, isWanted(entry) { return place }
            place = (place + 1) & (entries.count - 1)
        }
        return nil
    }

    /// The entry at a place that `place` gave.
    @inline(__always)
    subscript(place: Int) -> Entry? {
        get { entries[place] }
        set { entries[place] = newValue }
    }

    /// Adds an entry, or puts it in the place of the one that is the same; gives that one back.
    @inline(__always)
    @discardableResult
    mutating func insert(_ entry: Entry, where isSame: (Entry) -> Bool) -> Entry? {
        if count >= entries.count / 2 { grow() }
        var place = entry.probeHash & (entries.count - 1)
        while let known = entries[place] {
            if known.probeHash == entry.probeHash, isSame(known) {
                entries[place] = entry
                return known
            }
            place = (place + 1) & (entries.count - 1)
        }
        entries[place] = entry
        count += 1
        return nil
    }

    private mutating func grow() {
        let old = entries
        entries = Self.allocate(old.count * 2)
        for case let entry? in old {
            var place = entry.probeHash & (entries.count - 1)
            while entries[place] != nil { place = (place + 1) & (entries.count - 1) }
            entries[place] = entry
        }
        old.deallocate()
    }

    /// Empties a place, and moves up what would not be found behind it.
    mutating func remove(at removed: Int) {
        var hole = removed
        var place = removed
        let mask = entries.count - 1
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
        count -= 1
    }

    /// Empties the table.
    mutating func removeAll() {
        entries.deallocate()
        entries = Self.allocate(16)
        count = 0
    }

    /// Calls a function with each entry.
    func forEach(_ body: (Entry) -> Void) {
        for case let entry? in entries { body(entry) }
    }
}

/// What a `ProbeTable` holds.
protocol ProbeEntry: BitwiseCopyable {
    /// The hash, whose lower bits have to be good ones.
    var probeHash: Int { get }
}

/// Hashes of the keys of rows.
enum KeyHash {
    /// Keys that follow each other stand together by eights, so that whoever goes through them finds them in the processor's cache;
    /// the eights are spread.
    @inline(__always)
    static func bits(_ key: Int64) -> Int {
        let block = UInt64(bitPattern: key >> 3) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (block >> 24) << 3 | UInt64(bitPattern: key & 7))
    }
}
