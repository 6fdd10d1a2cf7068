internal import CCoreDataSupport
internal import Foundation

/// The stored values of an object: its attributes and to-one relationships, by slot.
///
/// Immutable and thread-safe: the values of a row have no references to objects of a context. The fields follow the
/// header in one allocation (`RowFields`), and unchanged objects read them there.
@usableFromInline
package final class Row: ManagedBuffer<RowHeader, UInt64> {
    /// The length, in bytes, beyond which a text is a Swift string, which is not copied each time that it is read.
    package static let textLimit = 255

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - values: The values by slot; slots that are not in a row are null.
    ///   - version: The number of times that the row was written, starting with 1.
    package static func make(_ values: some Collection<SlotValue>, version: Int) -> Row {
        let valueCount = values.reduce(0) { $1.needsSpace ? $0 + 1 : $0 }
        return make(count: values.count, version: version, valueCount: valueCount) { fields in
            for (slot, value) in values.enumerated() { fields.set(value, at: slot) }
        }
    }

    /// Creates a row whose fields a function sets, each at most once. The other ones are null.
    ///
    /// - Parameters:
    ///   - count: The number of slots.
    ///   - version: The number of times that the row was written, starting with 1.
    ///   - valueCount: The maximum number of fields that the function sets to values with `needsSpace`.
    ///   - textSize: The maximum number of bytes of the strings that it sets.
    @inline(__always)
    package static func make(
        count: Int, version: Int, valueCount: Int = 0, textSize: Int = 0, _ fill: (inout RowFields.Builder) -> Void
    ) -> Row {
        let size = RowFields.size(count: count, valueCount: valueCount, textSize: textSize)
        let buffer = create(minimumCapacity: size) { _ in RowHeader(count: count, version: version) }
        let row = unsafeDowncast(buffer, to: Row.self)
        var builder = RowFields.Builder(row.fields, count: count, valueCount: valueCount, textSize: textSize)
        fill(&builder)
        if builder.holdsReferences { row.withUnsafeMutablePointerToHeader { $0.pointee.holdsReferences = true } }
        return row
    }

    /// Returns a row of null values.
    static func blank(_ layout: EntityLayout, version: Int) -> Row {
        make(count: layout.slots.count, version: version) { _ in }
    }

    deinit {
        let holdsReferences = withUnsafeMutablePointerToHeader { $0.pointee.holdsReferences }
        if holdsReferences { fields.release(count: count) }
    }

    /// The number of times that the row was written, starting with 1.
    package var version: Int { withUnsafeMutablePointerToHeader { $0.pointee.version } }

    /// Whether the store has replaced or removed the row.
    var isStale: Bool { withUnsafeMutablePointerToHeader { cd_is_set(&$0.pointee.isStale) } }

    /// Records that the store has replaced or removed the row.
    func markStale() { withUnsafeMutablePointerToHeader { cd_set(&$0.pointee.isStale) } }

    /// The number of slots.
    // Only the count is read: another thread may mark the row as stale.
    package var count: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.slotCount) } }

    package subscript(slot: Int) -> SlotValue {
        precondition(slot >= 0 && slot < count, "a row has no slot \(slot)")
        return fields[slot]
    }

    /// The values by slot.
    package var values: Values { Values(row: self) }

    /// Returns the row for an entity's layout: an ID may refer to an ancestor of the row's entity. Returns `nil` if it
    /// refers to an unrelated entity.
    package func fitted(to layout: EntityLayout) -> Row? {
        let slotCount = layout.slots.count
        if count == slotCount { return self }
        return count < slotCount ? nil : Row.make(values.prefix(slotCount), version: version)
    }

    /// The fields, valid while the row is alive.
    @inline(__always)
    var fields: RowFields { RowFields(withUnsafeMutablePointerToElements { $0 }) }

    /// The values by slot, valid while the row is alive.
    @inline(__always)
    var reader: SlotReader { SlotReader(fields) }

    /// Returns the approximate number of bytes in memory.
    ///
    /// - Parameter sizedSlots: The slots whose values have no fixed size.
    func memorySize(_ sizedSlots: [Int]) -> Int {
        let (count, fields) = (count, fields)
        var size = 4 * MemoryLayout<Int>.size + RowFields.size(count: count) * MemoryLayout<UInt64>.size
        for slot in sizedSlots where slot < count { size += fields.additionalSize(slot) }
        return size
    }

    /// The values of a row, which retain it.
    package struct Values: RandomAccessCollection {
        let row: Row

        package var startIndex: Int { 0 }
        package var endIndex: Int { row.count }

        package subscript(slot: Int) -> SlotValue { row[slot] }
    }
}

/// The header of a row.
@usableFromInline
package struct RowHeader {
    let version: Int
    let slotCount: Int32
    var isStale = false
    /// Whether fields hold references, which the row releases.
    var holdsReferences = false

    init(count: Int, version: Int) {
        slotCount = Int32(count)
        self.version = version
    }
}
