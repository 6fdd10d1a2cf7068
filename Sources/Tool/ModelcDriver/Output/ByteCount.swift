/// Sizes of files as text.
package enum ByteCount {
    /// Returns a size in the largest unit that does not exceed it.
    package static func text(_ bytes: Int64) -> String {
        for (unit, size) in [("GB", Int64(1_000_000_000)), ("MB", 1_000_000), ("kB", 1000)] where bytes >= size {
            // Divided first, so that no size overflows.
            return "\(bytes / size).\(bytes % size / (size / 10)) \(unit)"
        }
        return "\(bytes) bytes"
    }
}
