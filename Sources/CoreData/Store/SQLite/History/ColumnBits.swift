internal import Foundation

/// Which properties an update has changed, as `ZCOLUMNS` keeps it: a bit for each slot of the entity's layout, the first one in
/// the highest bit of the first byte.
enum ColumnBits {
    /// Returns the bits of some slots.
    static func bytes(_ slots: [Int], count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for slot in slots where slot < count { bytes[slot / 8] |= 0x80 >> UInt8(slot % 8) }
        return bytes
    }

    /// Returns the slots of some bits.
    static func slots(_ bytes: UnsafeRawBufferPointer, count: Int) -> [Int] {
        (0..<min(count, bytes.count * 8)).filter { bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0 }
    }
}
