/// The keys by which members are ordered, in steps of 1024, so that others fit in between
/// (Documentation/Formats/SQLiteStore.md, 3.5).
package enum OrderKeys {
    /// The key of the first member.
    static let first: Int64 = 2048
    package static let step: Int64 = 1024

    /// Returns keys for sorted members.
    ///
    /// As many members as possible keep their key. The others are spread between those; if there are not enough free
    /// keys, all members get new keys.
    ///
    /// - Parameter current: The current keys of the members; `nil` for members without one.
    static func keys(_ current: [Int64?]) -> [Int64] {
        let kept = longestIncreasing(current)
        var result = [Int64](repeating: 0, count: current.count)
        var position = 0
        var low: Int64?
        for index in kept + [current.count] {
            let high = index < current.count ? current[index] : nil
            guard fill(&result, position..<index, above: low, below: high) else { return fresh(current.count) }
            if let high { result[index] = high }
            low = high ?? low
            position = index + 1
        }
        return result
    }

    private static func fresh(_ count: Int) -> [Int64] {
        (0..<count).map { first + Int64($0) * step }
    }

    /// Spreads keys between two others. Returns `false` if too few are free.
    private static func fill(_ keys: inout [Int64], _ range: Range<Int>, above low: Int64?, below high: Int64?) -> Bool
    {
        guard !range.isEmpty else { return true }
        let count = Int64(range.count)
        guard let high else {
            // Keys from a file may have any value.
            let start = low ?? first - step
            guard start < Int64.max - (count + 1) * step else { return false }
            for (offset, index) in range.enumerated() { keys[index] = start + Int64(offset + 1) * step }
            return true
        }
        let floor = low ?? 0
        guard floor < high, high - floor > count else { return false }
        let gap = (high - floor) / (count + 1)
        for (offset, index) in range.enumerated() { keys[index] = floor + Int64(offset + 1) * gap }
        return true
    }

    /// Returns the indices of a longest increasing subsequence of positive keys.
    private static func longestIncreasing(_ keys: [Int64?]) -> [Int] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: keys.count)
        for (index, key) in keys.enumerated() {
            guard let key, key > 0 else { continue }
            var (start, end) = (0, tails.count)
            while start < end {
                let middle = (start + end) / 2
                if (keys[tails[middle]] ?? 0) < key { start = middle + 1 } else { end = middle }
            }
            previous[index] = start > 0 ? tails[start - 1] : -1
            if start == tails.count { tails.append(index) } else { tails[start] = index }
        }
        var result: [Int] = []
        var next = tails.last ?? -1
        while next >= 0 {
            result.append(next)
            next = previous[next]
        }
        return result.reversed()
    }
}
