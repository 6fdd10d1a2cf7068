/// A hash table with open addressing and linear probing, for entries that provide their own hash.
///
/// Swift's dictionary would hash the hash again, compare keys through protocol witnesses, and count references. Entries
/// are moved bitwise; the owner manages the lifetime of the objects that they refer to.
///
/// All mutable state is behind one constant pointer, because each access to a variable of a class would be checked for
/// exclusivity.
public struct ProbeTable<Entry: ProbeEntry>: ~Copyable {
    @usableFromInline let state: UnsafeMutablePointer<State>

    @usableFromInline
    struct State {
        @usableFromInline var entries: UnsafeMutablePointer<Entry?>
        @usableFromInline var mask: Int
        @usableFromInline var count = 0

        @inlinable
        init(capacity: Int) {
            entries = .allocate(capacity: capacity)
            entries.initialize(repeating: nil, count: capacity)
            mask = capacity - 1
        }
    }

    /// Creates an empty table.
    @inlinable
    public init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State(capacity: 16))
    }

    @inlinable
    deinit {
        state.pointee.entries.deallocate()
        state.deallocate()
    }

    /// Returns the position of the matching entry with a hash, or `nil` if there is none.
    @inlinable @inline(__always)
    public func position(_ hash: Int, where matches: (Entry) -> Bool) -> Int? {
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var position = hash & mask
        while let entry = entries[position] {
            if entry.probeHash == hash, matches(entry) { return position }
            position = (position + 1) & mask
        }
        return nil
    }

    /// The entry at a position that `position` returned.
    @inlinable @inline(__always)
    public subscript(position: Int) -> Entry? { state.pointee.entries[position] }

    /// Adds an entry that the table does not contain.
    @inlinable
    public func insert(_ entry: Entry) {
        if state.pointee.count > state.pointee.mask / 8 * 3 { grow() }
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var position = entry.probeHash & mask
        while entries[position] != nil { position = (position + 1) & mask }
        entries[position] = entry
        state.pointee.count += 1
    }

    @inlinable
    func grow() {
        let old = state.pointee
        var new = State(capacity: (old.mask + 1) * 2)
        new.count = old.count
        for index in 0...old.mask {
            guard let entry = old.entries[index] else { continue }
            var position = entry.probeHash & new.mask
            while new.entries[position] != nil { position = (position + 1) & new.mask }
            new.entries[position] = entry
        }
        old.entries.deallocate()
        state.pointee = new
    }

    /// Removes the entry at a position, and moves up the entries that would no longer be found after it.
    @inlinable
    public func remove(at removed: Int) {
        let (entries, mask) = (state.pointee.entries, state.pointee.mask)
        var hole = removed
        var position = removed
        while true {
            position = (position + 1) & mask
            guard let entry = entries[position] else { break }
            // An entry may not be moved in front of its home position.
            if (position &- entry.probeHash) & mask >= (position &- hole) & mask {
                entries[hole] = entry
                hole = position
            }
        }
        entries[hole] = nil
        state.pointee.count -= 1
    }

    /// Removes all entries.
    @inlinable
    public func removeAll() {
        state.pointee.entries.deallocate()
        state.pointee = State(capacity: 16)
    }

    /// Swaps the entries of two tables.
    @inlinable
    public func exchange(with other: borrowing ProbeTable) { swap(&state.pointee, &other.state.pointee) }

    /// Calls a function with each entry.
    @inlinable
    public func forEach(_ body: (Entry) -> Void) {
        for position in 0...state.pointee.mask { if let entry = state.pointee.entries[position] { body(entry) } }
    }
}

/// An entry of a `ProbeTable`.
public protocol ProbeEntry: BitwiseCopyable {
    /// The hash, whose lower bits must be well distributed.
    var probeHash: Int { get }
}

/// Hashes of the keys of rows.
public enum KeyHash {
    /// Returns the hash of a key. Groups of four consecutive keys are stored next to each other, so that a loop over
    /// them finds them in the processor's cache; the groups are spread.
    @inlinable @inline(__always)
    public static func bits(_ key: Int64) -> Int {
        let block = UInt64(bitPattern: key >> 2) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (block >> 24) << 2 | UInt64(bitPattern: key & 3))
    }
}
