internal import Diagnostics

/// Random numbers that are determined by a seed, the same on every system and in every version of Swift (SplitMix64).
struct SeededNumbers {
    private var state: UInt64

    /// Creates a generator.
    init(seed: UInt64) {
        state = seed
    }

    /// Creates a generator for one purpose, independent of those for others, so that an entity that is added to a model
    /// does not change the values of the others.
    init(seed: UInt64, purpose: String) {
        self.init(seed: seed ^ StableHash.of(purpose.utf8))
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, and not including, a limit; 0 for a limit below 2.
    mutating func below(_ limit: Int) -> Int {
        limit > 1 ? Int(next() % UInt64(limit)) : 0
    }

    /// Returns `true` with a probability of one in `count`.
    mutating func chance(_ count: Int) -> Bool { below(count) == 0 }

    /// Returns a number from 0 up to, and not including, 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns the elements in random order.
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var result = elements
        for index in result.indices.dropFirst().reversed() { result.swapAt(index, below(index + 1)) }
        return result
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            let number = next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) where result.count < count {
                result.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return result
    }
}
