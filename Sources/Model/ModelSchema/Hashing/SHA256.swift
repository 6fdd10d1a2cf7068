/// SHA-256 (FIPS 180-4), the hash function of version hashes (Documentation/Formats/VersionHashes.md, 2).
///
/// A small implementation, because building a package for it would cost users of the build plugin more time than
/// computing the hashes.
package struct SHA256: Sendable {
    /// The 8 words of the state, followed by the 16 words of the block that is being filled. One array, because a model
    /// has thousands of hashes and each array is an allocation.
    private var words = SHA256.initialState
    /// The number of bytes in the block so far.
    private var pendingCount = 0
    private var byteCount: UInt64 = 0

    private static let stateSize = 8
    private static let blockSize = 64

    /// Starts a hash.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    /// Adds the UTF-8 of a text, without a length or a terminator.
    package mutating func update(_ text: String) {
        for byte in text.utf8 { update(byte) }
    }

    /// Adds one byte.
    package mutating func update(_ byte: UInt8) {
        // Each word receives four bytes, which shift out its previous contents.
        let index = Self.stateSize + pendingCount / 4
        words[index] = words[index] << 8 | UInt32(byte)
        pendingCount += 1
        byteCount &+= 1
        if pendingCount == Self.blockSize { compress() }
    }

    /// Adds the four bytes of a word, most significant first.
    mutating func update(bigEndian word: UInt32) {
        guard pendingCount % 4 == 0 else {
            for shift in stride(from: 24, through: 0, by: -8) {
                update(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
            return
        }
        words[Self.stateSize + pendingCount / 4] = word
        pendingCount += 4
        byteCount &+= 4
        if pendingCount == Self.blockSize { compress() }
    }

    /// Finishes the hash and returns its 32 bytes.
    package consuming func finalize() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * Self.stateSize)
        for word in finish() {
            for shift in stride(from: 24, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
        }
        return bytes
    }

    /// Finishes the hash and returns its eight words.
    consuming func finish() -> ArraySlice<UInt32> {
        let bitCount = byteCount &* 8
        update(0x80)
        while pendingCount % 4 != 0 { update(0) }
        while pendingCount != Self.blockSize - 8 { update(bigEndian: 0) }
        update(bigEndian: UInt32(truncatingIfNeeded: bitCount >> 32))
        update(bigEndian: UInt32(truncatingIfNeeded: bitCount))
        return words[..<Self.stateSize]
    }

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finalize()
    }

    private mutating func compress() {
        pendingCount = 0
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 { schedule.initializeElement(at: index, to: words[Self.stateSize + index]) }
            for index in 16..<64 {
                let early = schedule[index - 15]
                let late = schedule[index - 2]
                let small = early.rotatedRight(7) ^ early.rotatedRight(18) ^ early >> 3
                let large = late.rotatedRight(17) ^ late.rotatedRight(19) ^ late >> 10
                schedule.initializeElement(
                    at: index, to: schedule[index - 16] &+ small &+ schedule[index - 7] &+ large)
            }
            var (a, b, c, d) = (words[0], words[1], words[2], words[3])
            var (e, f, g, h) = (words[4], words[5], words[6], words[7])
            Self.constants.withUnsafeBufferPointer { constants in
                for index in 0..<64 {
                    let sumE = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
                    let choice = e & f ^ ~e & g
                    let first = h &+ sumE &+ choice &+ constants[index] &+ schedule[index]
                    let sumA = a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)
                    let majority = a & b ^ a & c ^ b & c
                    (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sumA &+ majority)
                }
            }
            words[0] &+= a
            words[1] &+= b
            words[2] &+= c
            words[3] &+= d
            words[4] &+= e
            words[5] &+= f
            words[6] &+= g
            words[7] &+= h
        }
    }

    private static let initialState: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

// Not generic: without optimization, a generic rotation takes most of the time of a hash.
extension UInt32 {
    /// Returns the value with its bits rotated right by 1 to 31 bits.
    fileprivate func rotatedRight(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}
