/// The values of an object by slot: its own, or those of the row that it shares. Valid while these are in memory.
///
/// As large as a pointer, because lists of many objects have one for each.
struct SlotReader {
    /// The address of the object's own values, or, with the lowest bit set, of a row's fields.
    private let address: UnsafeRawPointer

    /// Creates a reader of an object's own values.
    @inline(__always)
    init(_ own: UnsafePointer<SlotValue>) {
        address = UnsafeRawPointer(own)
    }

    /// Creates a reader of a row's values.
    @inline(__always)
    init(_ fields: RowFields) {
        address = fields.address + 1
    }

    /// The object's own values; `nil` if they are those of a row.
    @inline(__always)
    var own: UnsafePointer<SlotValue>? {
        UInt(bitPattern: address) & 1 == 0 ? address.assumingMemoryBound(to: SlotValue.self) : nil
    }

    @inline(__always)
    private var fields: RowFields {
        RowFields(UnsafeMutablePointer(mutating: (address - 1).assumingMemoryBound(to: UInt64.self)))
    }

    subscript(slot: Int) -> SlotValue {
        @inline(__always) get {
            if let own { return own[slot] }
            return fields[slot]
        }
    }

    /// Returns whether the value of a slot needs space beside its word in a new row, where an object is an ID.
    @inline(__always)
    func needsSpace(_ slot: Int) -> Bool {
        if let own {
            if case .managed = own[slot] { return false }
            return own[slot].needsSpace
        }
        return fields.needsSpace(slot)
    }
}
