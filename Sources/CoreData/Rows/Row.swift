internal import CCoreDataSupport

/// What a store holds of an object: its attributes and to-one relationships, by slot.
///
/// Immutable and thread-safe: the values of a row have no references to objects of a context. The values follow the
/// header in one allocation, and unchanged objects read them there.
@usableFromInline
final class Row: ManagedBuffer<RowHeader, SlotValue> {
    /// Creates a row.
    ///
    /// - Parameters:
    ///   - values: the values by slot; slots that are in no row are null.
    ///   - version: counts the times that the row was written, from 1.
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

    /// Creates a row whose values a function initializes, each of them once. The function must not throw before it has.
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

    /// Counts the times that the row was written, from 1.
    var version: Int { header.version }

    /// Whether the store has another row in its place by now, or none.
    var isStale: Bool { withUnsafeMutablePointerToHeader { cd_is_set(&$0.pointee.isStale) } }

    /// Says that the store has another row in its place, or none.
    func markStale() { withUnsafeMutablePointerToHeader { cd_set(&$0.pointee.isStale) } }

    /// The number of slots.
    var count: Int { header.count }

    /// The value of a slot.
    subscript(slot: Int) -> SlotValue {
        precondition(slot >= 0 && slot < count, "a row has no slot \(slot)")
        return withUnsafeMutablePointerToElements { $0[slot] }
    }

    /// The values by slot.
    var values: Values { Values(row: self) }

    /// Returns the row as one of an entity: an ID may name an entity that the row's entity inherits from. Returns `nil` if it names
    /// another one.
    func fitted(to layout: EntityLayout) -> Row? {
        let slotCount = layout.slots.count
        if count == slotCount { return self }
        return count < slotCount ? nil : Row.make(values.prefix(slotCount), version: version)
    }

    /// The values where they are, for as long as the row lives.
    var slots: UnsafeMutablePointer<SlotValue> { withUnsafeMutablePointerToElements { $0 } }

    /// The values of a row, which they keep alive.
    struct Values: RandomAccessCollection {
        let row: Row

        var startIndex: Int { 0 }
        var endIndex: Int { row.count }

        subscript(slot: Int) -> SlotValue { row[slot] }
    }
}

/// What a row has besides its values.
@usableFromInline
struct RowHeader {
    let version: Int
    private let slotCount: Int32
    var isStale = false

    init(count: Int, version: Int) {
        slotCount = Int32(count)
        self.version = version
    }

    /// The number of values.
    var count: Int { Int(slotCount) }
}
