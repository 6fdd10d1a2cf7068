/// A set of keys, compact for consecutive keys.
struct KeySet {
    private var words: [Int64: UInt64] = [:]

    mutating func insert(_ key: Int64) { words[key >> 6, default: 0] |= 1 << UInt64(key & 63) }

    func contains(_ key: Int64) -> Bool { (words[key >> 6] ?? 0) & 1 << UInt64(key & 63) != 0 }
}
