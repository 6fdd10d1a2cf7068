internal import CCoreDataSupport

/// The stored values of an object: its attributes and to-one relationships, by slot.
///
/// Immutable and thread-safe: the values of a row have no references to objects of a context. The values follow the
/// header in one allocation, and unchanged objects read them there.
@usableFromInline
final class Row: ManagedBuffer<RowHeader, SlotValue> {
    /// Creates a row.
    ///
    /// - Parameters:
    ///   - values: the values by slot; slots that are not in a row are null.
    ///   - version: the number of times that the row was written, starting with 1.
    static func make(_ values: some Collection<SlotValue>, version: Int) -> Row {
        make(count: values.count, version: version) { slots in
            for (slot, value) in values.enumerated() { slots[slot] = value }
        }
    }

    /// Creates a row of null values, which a function then sets.
    @inline(__always)
    static func make(
        count: Int, version: Int, _ fill: (UnsafeMutablePointer<SlotValue>) throws -> Void
    ) rethrows -> Row {
        try makeUninitialized(count: count, version: version) { slots in
            slots.initialize(repeating: .null, count: count)
            try fill(slots)
        }
    }

    /// Creates a row whose values a function initializes, each of them once. The function must not throw before it has
    /// initialized all of them.
    @inline(__always)
    static func makeUninitialized(
        count: Int, version: Int, _ initialize: (UnsafeMutablePointer<SlotValue>) throws -> Void
    ) rethrows -> Row {
        let buffer = create(minimumCapacity: count) { _ in RowHeader(count: count, version: version) }
        let row = unsafeDowncast(buffer, to: Row.self)
        try row.withUnsafeMutablePointerToElements { try initialize($0) }
        return row
    }

    /// Returns a row of null values.
    static func blank(_ layout: EntityLayout, version: Int) -> Row {
        make(count: layout.slots.count, version: version) { _ in }
    }

    deinit {
        _ = withUnsafeMutablePointers { header, slots in slots.deinitialize(count: header.pointee.count) }
    }

    /// The number of times that the row was written, starting with 1.
    var version: Int { withUnsafeMutablePointerToHeader { $0.pointee.version } }

    /// Whether the store has replaced or removed the row.
    var isStale: Bool { withUnsafeMutablePointerToHeader { cd_is_set(&$0.pointee.isStale) } }

    /// Records that the store has replaced or removed the row.
    func markStale() { withUnsafeMutablePointerToHeader { cd_set(&$0.pointee.isStale) } }

    /// The number of slots.
    // Only the count is read: another thread may mark the row as stale.
    var count: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.slotCount) } }

    /// The value of a slot.
    subscript(slot: Int) -> SlotValue {
        precondition(slot >= 0 && slot < count, "a row has no slot \(slot)")
        return withUnsafeMutablePointerToElements { $0[slot] }
    }

    /// The values by slot.
    var values: Values { Values(row: self) }

    /// Returns the row for an entity's layout: an ID may refer to an ancestor of the row's entity. Returns `nil` if it
    /// refers to an unrelated entity.
    func fitted(to layout: EntityLayout) -> Row? {
        let slotCount = layout.slots.count
        if count == slotCount { return self }
        return count < slotCount ? nil : Row.make(values.prefix(slotCount), version: version)
    }

    /// A pointer to the values, valid while the row is alive.
    var slots: UnsafeMutablePointer<SlotValue> { withUnsafeMutablePointerToElements { $0 } }

    /// The values of a row, which retain it.
    struct Values: RandomAccessCollection {
        let row: Row

        var startIndex: Int { 0 }
        var endIndex: Int { row.count }

        subscript(slot: Int) -> SlotValue { row[slot] }
    }
}

/// The header of a row.
@usableFromInline
struct RowHeader {
    let version: Int
    let slotCount: Int32
    var isStale = false

    init(count: Int, version: Int) {
        slotCount = Int32(count)
        self.version = version
    }

    /// The number of values.
    var count: Int { Int(slotCount) }
}
