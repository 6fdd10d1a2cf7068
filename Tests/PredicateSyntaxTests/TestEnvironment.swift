// Foundation is imported only here, since it has types named Predicate and Expression, too.
import Foundation

enum TestEnvironment {
    /// The duration of the random tests in seconds: MODELC_FUZZ_SECONDS, or 1.
    static var fuzzSeconds: Double {
        ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init) ?? 1
    }

    /// Runs a function on a thread with a stack of `stackSize` bytes, and waits for it.
    static func runOnThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = stackSize
        thread.start()
        done.wait()
    }
}

/// SplitMix64: random tests that can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
