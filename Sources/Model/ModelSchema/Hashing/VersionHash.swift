/// The version hash of an entity or a property: 32 bytes of SHA-256 (Documentation/Formats/VersionHashes.md, 2).
package struct VersionHash: Hashable, Sendable {
    // Four words instead of an array, which would be an allocation for the hash of each inherited property.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes in a hash.
    package static let byteCount = 32

    /// Creates a hash from its bytes; `nil` if there are not exactly 32.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(digest: bytes)
    }

    /// Creates a hash by finishing the hasher.
    init(_ hasher: consuming SHA256) {
        let digest = hasher.finish()
        func word(_ index: Int) -> UInt64 { UInt64(digest[2 * index]) << 32 | UInt64(digest[2 * index + 1]) }
        words = (word(0), word(1), word(2), word(3))
    }

    private init(digest: some Collection<UInt8>) {
        var words: [UInt64] = [0, 0, 0, 0]
        for (position, byte) in digest.enumerated() { words[position / 8] = words[position / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }

    /// Adds the bytes to a hasher, without allocating an array.
    func update(_ hasher: inout SHA256) {
        for word in [words.0, words.1, words.2, words.3] {
            hasher.update(bigEndian: UInt32(truncatingIfNeeded: word >> 32))
            hasher.update(bigEndian: UInt32(truncatingIfNeeded: word))
        }
    }

    /// The bytes as 64 lowercase hexadecimal digits.
    package var hexString: String {
        [words.0, words.1, words.2, words.3].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns whether all bytes are equal.
    package static func == (lhs: VersionHash, rhs: VersionHash) -> Bool { lhs.words == rhs.words }

    /// Feeds the bytes into a hasher of the standard library.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension VersionHash: CustomStringConvertible {
    /// The same as `hexString`.
    package var description: String { hexString }
}

extension SHA256 {
    /// Adds the bytes of a version hash.
    mutating func update(_ hash: VersionHash) { hash.update(&self) }
}
