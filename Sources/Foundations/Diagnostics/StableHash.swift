/// A hash that is the same in each run, on every system (64-bit FNV-1a).
package enum StableHash {
    /// The hash of no bytes.
    package static let empty: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Returns the hash of bytes.
    ///
    /// - Parameter seed: The hash of the bytes before them.
    package static func of(_ bytes: some Sequence<UInt8>, seed: UInt64 = empty) -> UInt64 {
        bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
