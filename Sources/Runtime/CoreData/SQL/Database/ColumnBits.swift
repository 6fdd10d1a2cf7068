internal import Foundation

/// The properties that an update has changed, in the format of `ZCOLUMNS`: one bit per slot of the entity's layout,
/// starting with the highest bit of the first byte.
package enum ColumnBits {
    /// Returns the bits of slots.
    package static func bytes(_ slots: [Int], count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for slot in slots where slot < count { bytes[slot / 8] |= 0x80 >> UInt8(slot % 8) }
        return bytes
    }

    /// Returns the slots of bits.
    package static func slots(_ bytes: UnsafeRawBufferPointer, count: Int) -> [Int] {
        (0..<min(count, bytes.count * 8)).filter { bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0 }
    }
}
